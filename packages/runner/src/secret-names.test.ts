import { expect, it } from 'vitest';
import { isSecretName } from './secret-names.ts';

it.each([
  ...[
    'GITHUB_TOKEN',
    'API_KEY',
    'SSH_KEY_PASSPHRASE',
    'PGPASS',
    'PGPASSWORD',
    'DB_PASS',
    'GH_PAT',
    'NPM_AUTH',
    'PROXY_AUTH',
  ],
  ...['DATABASE_URL', 'REDIS_URL', 'MONGODB_URI', 'SENTRY_DSN', 'MYSQL_PWD', 'aws_secret_access_key'],
])('%s is the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

it.each(['PATH', 'LANG', 'HOME', 'EDITOR', 'COMPASS_HOME', 'AUTHOR', 'PATTERN', 'BASE_URL'])('%s is none', (name) => {
  expect(isSecretName(name)).toBe(false);
});
