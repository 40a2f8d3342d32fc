import { type Handler, importApi, startGateway } from '../../infra/local/gateway.ts';
import { type ApiFunction, apiFunctions } from '../../shared/service/routes.ts';

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
type Options = Omit<Parameters<typeof startGateway>[0], 'port' | 'functions'>;

/** Starts the API's functions on a free port. They read `process.env` at their first request. */
export const startFunctions = async (options: Options = {}): Promise<Gateway> => {
  const gateway = await startGateway({ port: 0, functions: await importApi(), ...options });
  process.env.API_URL = gateway.url; // of the function `mcp`
  return gateway;
};

/** Starts a gateway on a free port, with handlers in place of the API's functions. */
export const startHandlers = async (
  handlerOf: (name: ApiFunction) => Handler | Promise<Handler>,
  options: Options = {},
): Promise<Gateway> => {
  const handlers = await Promise.all(apiFunctions.map(async (name) => [name, await handlerOf(name)] as const));
  const functions = Object.fromEntries(handlers) as Record<ApiFunction, Handler>;
  return startGateway({ port: 0, functions, ...options });
};
