import type { BuiltInRule } from '../types.ts';

const ENGINES = ['docker', 'podman', 'nerdctl'];
/** A place that is fetched from. The last two are read so by some that build. */
const FAR = /:\/\/|^git@|^github\.com\//;

/** Rules about what the engines of containers fetch themselves; each command is one of another rule too. */
export const CONTAINERS_FAR: readonly BuiltInRule[] = [
  {
    name: 'containers.asks',
    programs: ENGINES,
    words: [['search']],
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [
      ['docker', 'search', 'x'],
      ['podman', 'search', 'registry.example/x'],
    ],
    notExamples: [['docker', 'images', 'x']],
  },
  {
    name: 'containers.asks-manifest',
    programs: ENGINES,
    words: [['manifest'], ['inspect']],
    class: 'read',
    // With what it signs in with there.
    needs: ['inspect_status', 'use_network'],
    examples: [['docker', 'manifest', 'inspect', 'registry.example/x']],
    notExamples: [['docker', 'image', 'inspect', 'x']],
  },
  {
    name: 'containers.asks-images',
    programs: ENGINES,
    // The registry is asked whatever is here; `create` writes there too.
    words: [['buildx'], ['imagetools'], ['inspect', 'create']],
    class: 'config-mutation',
    needs: ['manage_services', 'use_network'],
    examples: [['docker', 'buildx', 'imagetools', 'inspect', 'registry.example/x']],
    notExamples: [['docker', 'buildx', 'inspect', 'x']],
  },
  {
    name: 'containers.fetches',
    programs: ENGINES,
    words: [['build', 'pull', 'import', 'load', 'buildx', 'image', 'builder']],
    operand: FAR,
    class: 'config-mutation',
    needs: ['manage_services', 'use_network'],
    examples: [
      ['docker', 'build', 'https://example.org/x.git'],
      ['docker', 'import', 'http://example.org/x'],
      ['docker', 'buildx', 'build', 'git@example.org:x'],
    ],
    notExamples: [['docker', 'build', '.']],
  },
];
