/** Largest Lighthouse result that the service takes in, in bytes of JSON. */
export const MAX_REPORT_BYTES = 20 * 1024 * 1024;
/** Largest body of an upload, in bytes. A deployment may take less. */
export const MAX_UPLOAD_BYTES = 24 * 1024 * 1024;
/** Most uploaded reports that count as the samples of one run. */
export const MAX_UPLOADED_SAMPLES = 15;
/** Most reports of one build of Lighthouse CI. */
export const MAX_BUILD_REPORTS = 1000;
/** Major versions of Lighthouse whose results the service takes in. */
export const UPLOAD_MAJORS = [9, 10, 11, 12, 13];
