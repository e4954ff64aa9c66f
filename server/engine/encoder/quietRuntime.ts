/**
 * Settings that ONNX Runtime's native library reads when it is loaded: this module is imported
 * before `onnxruntime-node` wherever that is.
 *
 * Since 1.29 its builds for Linux and macOS report to their maker: they look up the machine's id,
 * keep a database in the user's cache folder, and crash in a process whose command line is longer
 * than some 30 KB (`ratio pool add library *.bib`). Ratio makes no network request of its own, so all
 * of it stays off. Windows' build has no such switch; there the system's own settings decide.
 */
process.env['ORT_DISABLE_TELEMETRY'] = '1';
