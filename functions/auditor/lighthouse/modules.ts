import { existsSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { type AuditVersion, auditVersion } from '../../../shared/audit-versions.ts';
import type { MessageFormat } from './patches.ts';
import { standInOf } from './stand-ins.ts';

type Linked = { load(path: string): object; loadFrom(path: string, name: string): object };
// biome-ignore lint/suspicious/noExplicitAny: the modules of Lighthouse have no types that hold for all versions
type Module = any;

/** Ways to import the modules of a Lighthouse release: from one linked file beside this file, or from the package. */
export const lighthouseModules = (version: AuditVersion) => {
  const linkedFile = join(import.meta.dirname, `${auditVersion(version).package}.cjs`);
  return existsSync(linkedFile) ? linkedModules(version, linkedFile) : packageModules(version);
};

const linkedModules = (version: AuditVersion, file: string) => {
  const { package: name, core, module } = auditVersion(version);
  const { load, loadFrom }: Linked = createRequire(import.meta.url)(file);
  return {
    importCore: async (path: string): Promise<Module> => {
      const exported = load(`node_modules/${name}/${core}/${path}`);
      return module === 'esm' ? exported : { default: exported };
    },
    messageFormat: async () => defaultOf(loadFrom(formattingModule(version), MESSAGE_FORMAT)),
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
    importCore: (path: string): Promise<Module> => import(`${name}/${core}/${path}`),
    messageFormat: async () => {
      const formatting = createRequire(import.meta.url).resolve(
        formattingModule(version).replace(/^node_modules./, ''),
      );
      return defaultOf(createRequire(formatting)(MESSAGE_FORMAT));
    },
  };
};

const MESSAGE_FORMAT = 'intl-messageformat';
const defaultOf = (exported: object): MessageFormat =>
  (exported as { default?: MessageFormat }).default ?? (exported as MessageFormat);

/** Returns the path of the module in which a release formats its messages. */
const formattingModule = (version: AuditVersion): string =>
  `node_modules/${auditVersion(version).package}/shared/localization/format.js`;
