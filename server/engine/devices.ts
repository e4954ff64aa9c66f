/** Names of what can encode, for every border that one crosses: settings, terminal, files. */

/** Execution providers of ONNX Runtime that there are models for. */
export const PROVIDERS = ['cpu', 'webgpu', 'cuda', 'dml', 'coreml'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** What a user may ask for; `auto` is the CPU until a GPU has proved faster (`encoder/probe.ts`). */
export const DEVICES = ['auto', ...PROVIDERS] as const;
export type Device = (typeof DEVICES)[number];

/** Whether a text names a device. */
export function isDevice(value: string): value is Device {
  return (DEVICES as readonly string[]).includes(value);
}
