import { existsSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { type AuditVersion, auditVersion } from '../../../shared/audit-versions.ts';
import type { GatheringRunner } from './gathering.ts';
import { loadLinked } from './linked-release.ts';
import type {
  AccessibilityGatherer,
  AuditArtifacts,
  AxeAudit,
  DefaultConfig,
  Flags,
  MessageFormatModule,
  NetworkMonitor,
  PageFunctions,
  Protocol,
  TraceGatherer,
} from './patches.ts';
import type { RunnerResult } from './result.ts';
import type { GatherContext, ScreenshotGatherer } from './screenshot-wait.ts';
import type { Config } from './simulate.ts';
import { standInOf } from './stand-ins.ts';
import type { Trace } from './trace.ts';

export type Run = {
  (url: string, flags: Flags, config?: object, page?: Page): Promise<RunnerResult | undefined>;
  generateConfig?(config: object | undefined, flags: Flags): Config; // in version 9
};
export type StartTimespan = (
  page: Page,
  options: { flags: Flags; config: object | undefined },
) => Promise<{ endTimespan(): Promise<RunnerResult | undefined> }>;
/** Emulates the screen and the user agent of a device. */
export type Emulate = (
  session: { sendCommand(method: string, parameters?: object): Promise<unknown> },
  settings: object,
) => Promise<void>;

/** A module whose export has a name. In version 9, its only export is the default one. */
type Named<Name extends string, Value> = { default?: Value } & { [Key in Name]?: Value };

type InitializeConfig = (
  mode: 'navigation',
  config: object | undefined,
  flags: Flags,
) => Promise<{ resolvedConfig: Config }>;

/** Compares the frames of a trace. Later calls with the same context get the same answer. */
export type Speedline = { request(trace: Trace, context: GatherContext): Promise<unknown> };

/** The exports that an auditor uses, by the path of their module. */
type Modules = {
  'index.js': { default: Run; auditFlowArtifacts?: AuditArtifacts; startTimespan?: StartTimespan }; // the last two since version 10
  'lib/emulation.js': { emulate: Emulate };
  'config/config.js': { initializeConfig: InitializeConfig }; // since version 10
  'config/desktop-config.js': { default: object };
  'config/default-config.js': { default: DefaultConfig };
  'gather/gatherers/trace.js': { default: TraceGatherer };
  'gather/gatherers/accessibility.js': { default: AccessibilityGatherer };
  'computed/speedline.js': Named<'Speedline', Speedline>;
  'gather/gatherers/full-page-screenshot.js': { default: ScreenshotGatherer };
  'audits/accessibility/axe-audit.js': { default: AxeAudit };
  'gather/driver/network-monitor.js': Named<'NetworkMonitor', NetworkMonitor>;
  'gather/session.js': Named<'ProtocolSession', Protocol>; // since version 10
  'gather/driver.js': Named<'Driver', Protocol>; // the protocol session of version 9
  'runner.js': Named<'Runner', GatheringRunner>;
  'lib/page-functions.js': Named<'pageFunctions', PageFunctions>;
};
export type ImportCore = <Path extends keyof Modules>(path: Path) => Promise<Modules[Path]>;

export const exportOf = <Name extends string, Value>(module: Named<Name, Value>, name: Name): Value => {
  const value: Value | undefined = module.default ?? module[name];
  if (value === undefined) throw new Error(`The module of Lighthouse has no export ${name}.`);
  return value;
};

/** Ways to import the modules of a Lighthouse release: from one linked file in a folder, or from the package. */
export const lighthouseModules = (version: AuditVersion, folder = import.meta.dirname) => {
  const linkedFile = linkedFileOf(version, folder);
  return existsSync(linkedFile) ? linkedModules(version, linkedFile) : packageModules(version);
};

export const linkedFileOf = (version: AuditVersion, folder: string): string =>
  join(folder, `${auditVersion(version).package}.cjs`);

const linkedModules = (version: AuditVersion, file: string) => {
  const { package: name, core, module } = auditVersion(version);
  const { load, loadFrom } = loadLinked(file);
  return {
    importCore: (async (path) => {
      const exported = load(`node_modules/${name}/${core}/${path}`);
      return module === 'esm' ? exported : { default: exported };
    }) as ImportCore,
    messageFormat: async () => loadFrom(formattingModule(version), MESSAGE_FORMAT) as MessageFormatModule,
  };
};

const packageModules = (version: AuditVersion) => {
  const { package: name, core } = auditVersion(version);
  registerHooks({
    load: (url, context, next) => {
      const standIn = standInOf(url);
      return standIn ? { ...standIn, shortCircuit: true } : next(url, context);
    },
  });
  return {
    importCore: ((path) => import(`${name}/${core}/${path}`)) as ImportCore,
    messageFormat: async () => {
      const formatting = createRequire(import.meta.url).resolve(
        formattingModule(version).replace(/^node_modules./, ''),
      );
      return createRequire(formatting)(MESSAGE_FORMAT) as MessageFormatModule;
    },
  };
};

const MESSAGE_FORMAT = 'intl-messageformat';

/** Returns the path of the module in which a release formats its messages. */
const formattingModule = (version: AuditVersion): string =>
  `node_modules/${auditVersion(version).package}/shared/localization/format.js`;
