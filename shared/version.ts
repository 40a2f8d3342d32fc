/** Version of the service, as in package.json. A test compares the two. */
export const SERVICE_VERSION = '0.1.0';
