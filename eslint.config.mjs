import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * Imports point one way (docs/architecture.md); these rules hold the code to it. A later rule of the same
 * name replaces an earlier one, so every file is named by exactly one call.
 */
const imports = (files, { ignores = [], paths = [], patterns = [] }) => ({
  files,
  ignores,
  rules: { 'no-restricted-imports': ['error', { paths, patterns }] },
});
const noEditor = { name: 'vscode', message: 'Only client/ imports vscode.' };
const native = ['onnxruntime-node', 'hnswlib-node', 'libsql'].map((name) => ({
  name,
  message: 'Only server/engine/ imports native modules.',
}));
const onlyProtocol = {
  regex: '(^|/)server(/(?!protocol$)|$)',
  message: 'Of server/, client/ imports protocol.ts alone.',
};
const noClient = { regex: '^(\\.\\./)+client(/|$)', message: 'The server knows no client.' };
const noEngine = {
  regex: '(^|/)engine/(?!engine$)',
  message: 'The engine takes this module: it imports the interface of the engine at most.',
};
/** What the engine takes from outside its folder: pure modules, and where the package's files are. */
const fromOutside = '(language/problems|mining/strip|paths)$';
const insideEngine = (up) => ({
  regex: `^${up}(?!${fromOutside})`,
  message: 'The engine takes from outside only what docs/architecture.md names.',
});
/** What it takes in turn. */
const takenByEngine = [
  'server/language/{problems,problemCues,phrases}.ts',
  'server/mining/{strip,clean}.ts',
  'server/mining/lexicon/**/*.ts',
];
/** The language server never loads native code: it knows the engine by its interface and process. */
const languageServer = ['server/*.ts', 'server/{cite,language,pools,prose}/**/*.ts'];
const engineByProcess = {
  regex: '(^|/)engine/(?!(engine|errors|devices|poolName|import/source|process/client)$)',
  message: 'The language server calls the engine through engine/process/client.',
};

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
  imports(['client/**/*.ts'], { paths: native, patterns: [onlyProtocol] }),
  imports(['server/**/*.ts'], {
    ignores: ['server/engine/**', ...languageServer, ...takenByEngine, '!server/engineMain.ts'],
    paths: [noEditor, ...native],
    patterns: [noClient],
  }),
  imports(languageServer, {
    ignores: [...takenByEngine, 'server/engineMain.ts'],
    paths: [noEditor, ...native],
    patterns: [noClient, engineByProcess],
  }),
  imports(takenByEngine, { paths: [noEditor, ...native], patterns: [noClient, noEngine] }),
  imports(['server/engine/*.ts'], { paths: [noEditor], patterns: [insideEngine('\\.\\./')] }),
  imports(['server/engine/*/**/*.ts'], {
    paths: [noEditor],
    patterns: [insideEngine('\\.\\./\\.\\./')],
  }),
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
