import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Imports point one way (docs/architecture.md); these rules hold the code to it. */
const noEditor = { name: 'vscode', message: 'Only client/ imports vscode.' };
const native = ['onnxruntime-node', 'hnswlib-node', 'libsql'].map((name) => ({
  name,
  message: 'Only server/engine/ imports native modules.',
}));

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/', '.vscode-test/'] },
  js.configs.recommended,
  tseslint.configs.strict,
  tseslint.configs.stylistic,
  {
    rules: {
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['server/**/*.ts'],
    ignores: ['server/engine/**'],
    rules: { 'no-restricted-imports': ['error', { paths: [noEditor, ...native] }] },
  },
  {
    files: ['server/engine/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [noEditor] }] },
  },
  {
    files: ['client/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: native }] },
  },
  {
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['test/panel/support/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['window', 'document', 'sessionStorage', 'console'].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: { console: 'readonly', process: 'readonly', URL: 'readonly', require: 'readonly' },
    },
  },
);
