/** What of a name says that its value is a secret. */
const SECRET =
  /TOKEN|SECRET|PASS(?:W|PHRASE|$)|CREDENTIAL|KEY|COOKIE|(?:^|_)(?:PAT|AUTH|PWD|DSN)$|PGPASS|(?:DATABASE|REDIS|MONGO\w*|POSTGRES\w*|MYSQL|AMQP|BROKER)_UR[IL]$/i;

/** Whether the value of a variable is to be treated as a secret, by its name: rather one too many. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}
