import { vi } from 'vitest';

const worker = globalThis as { environmentAtStart?: NodeJS.ProcessEnv };
worker.environmentAtStart ??= { ...process.env };

// The files of a worker share its process. Each one gets the environment and modules of its own, because functions read the
// environment once. The packages in node_modules stay loaded.
for (const name of Object.keys(process.env)) if (!(name in worker.environmentAtStart)) delete process.env[name];
Object.assign(process.env, worker.environmentAtStart);
vi.resetModules();
