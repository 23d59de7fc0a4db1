/** What a service manager starts, and as what. */
export interface ServiceOrder {
  /** Absolute argument vector of the node in the foreground. */
  readonly argv: readonly string[];
  /** PATH of the node: what tasks and agents are found in. */
  readonly path: string;
  /** Name of the service; a home of its own has one of its own. */
  readonly name: string;
}

/** A service manager of a user. */
export interface ServiceManager {
  readonly kind: 'systemd' | 'launchd';
  /** Where its description of a service stands, absolute. */
  file(name: string): string;
  describe(order: ServiceOrder): string;
  /** The line by which a description is known as one that this program wrote. */
  readonly marker: string;
  /** What is run after the description was put there, and before it is taken away. */
  enable(name: string): readonly (readonly string[])[];
  disable(name: string): readonly (readonly string[])[];
  /** Exits with 0 exactly where it runs. */
  isActive(name: string): readonly string[];
  /** What is left for a person to know or do. */
  notes(name: string): readonly string[];
}
