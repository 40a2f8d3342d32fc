// Generated from shared/openapi/document.ts. Run `npm run client-types` after a change of the API.

export interface paths {
    "/v1/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your checks, newest first
         * @description A page may be shorter than its limit. Only `"nextCursor": null` is the end.
         */
        get: operations["listChecks"];
        put?: never;
        /**
         * Create a check
         * @description Starts one run per region. The same `Idempotency-Key` and body return the same check (200).
         */
        post: operations["createCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the finished runs of a URL, newest first
         * @description With `Accept: text/csv` the answer is CSV (RFC 4180) with times in milliseconds.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checks/{checkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a check with its complete runs
         * @description With `Prefer: wait=20` it answers when the check is finished, or after 20 seconds with its present state. With `If-None-Match` too, it answers at the next change.
         */
        get: operations["getCheck"];
        put?: never;
        post?: never;
        /**
         * Erase a check, its runs, reports and entries in lists
         * @description Final. From the answer on, nobody can read the check.
         */
        delete: operations["deleteCheck"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checks/{checkId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Share a check
         * @description Returns a link with which anyone can read this check, its runs and reports, until the link expires.
         */
        post: operations["createLink"];
        /** Revoke all share links of a check */
        delete: operations["deleteLinks"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checks/{checkId}/comparison": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare the regions of a check, or two checks
         * @description A verdict needs at least 3 samples on both sides.
         */
        get: operations["getComparison"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checks/{checkId}/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a run
         * @description With `Prefer: wait=20` it answers when the run is finished, or after 20 seconds with its present state. With `If-None-Match` too, it answers at the next change.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checks/{checkId}/runs/{runId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the Lighthouse report of a run
         * @description With `Accept: text/html` the answer is the report as a web page. The page of a large report loads its data from storage, for five minutes. It has no `ETag`.
         */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checks/{checkId}/runs/{runId}/screenshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the last view of the page */
        get: operations["getScreenshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checks/{checkId}/runs/{runId}/filmstrip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the views of the page while it loads */
        get: operations["getFilmstrip"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a run without its check id
         * @description With `Prefer: wait=20` it answers when the run is finished, or after 20 seconds with its present state. With `If-None-Match` too, it answers at the next change.
         */
        get: operations["getRunById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/runs/{runId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Lighthouse report without the check id
         * @description With `Accept: text/html` the answer is the report as a web page. The page of a large report loads its data from storage, for five minutes. It has no `ETag`.
         */
        get: operations["getReportByRunId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of Lighthouse, with their categories and metrics */
        get: operations["listAuditVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/regions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the regions of this deployment */
        get: operations["listRegions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the limits of checks and plans */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document as a web page */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{version}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a file of that web page */
        get: operations["getDocsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open the web page: new check and recent checks */
        get: operations["getHomePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{checkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a check in the web page */
        get: operations["getCheckPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{checkId}/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a run in the web page */
        get: operations["getRunPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open the results of a URL over time in the web page */
        get: operations["getTrendPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/comparisons/{pair}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open the comparison of two checks in the web page */
        get: operations["getComparisonPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{version}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a file of the web page */
        get: operations["getWebPageFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask whether the service answers */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask whether the service can audit */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        CreateCheck: {
            /** @description A public URL that starts with http:// or https://, without credentials. */
            url: string;
            /**
             * @description A version, its major or `latest`.
             * @enum {string}
             */
            auditVersion: "9" | "10" | "11" | "12" | "13" | "13.5.0" | "latest" | "12.8.2" | "11.7.1" | "10.4.0" | "9.6.8";
            /** @description One run is made per region. */
            regions: components["schemas"]["Region"][];
            device?: components["schemas"]["Device"];
            /** @description Number of audits of a run. The run shows the median one. Default: 1. */
            samples?: number;
            /** @description Default: all categories of the audit version except `agentic-browsing`. */
            categories?: components["schemas"]["Category"][];
            labels?: components["schemas"]["Labels"];
            throttling?: components["schemas"]["Throttling"];
            blockedUrlPatterns?: components["schemas"]["BlockedUrlPatterns"];
        };
        /**
         * @description Region that an audit runs in.
         * @enum {string}
         */
        Region: "us-west1" | "us-east4" | "europe-north1" | "europe-west3" | "asia-northeast1" | "australia-southeast1";
        /**
         * @description Preset of Lighthouse: a mid-range phone on slow 4G, or a desktop on a fast network.
         * @enum {string}
         */
        Device: "mobile" | "desktop";
        /**
         * @description Category of Lighthouse. `pwa` exists in audit versions up to 11, `agentic-browsing` from version 13 on.
         * @enum {string}
         */
        Category: "performance" | "accessibility" | "best-practices" | "pwa" | "seo" | "agentic-browsing";
        /** @description Names and values by which a client finds its checks again, such as `branch` and `main`. */
        Labels: {
            [key: string]: string;
        };
        /** @description `none` measures the page at the speed of the host and its network. An object has the values of Lighthouse's simulation. Default: the preset of the device. */
        Throttling: "none" | {
            /** @description Round-trip time of the network in milliseconds. */
            rttMs: number;
            /** @description Throughput of the network in kilobits per second. */
            throughputKbps: number;
            /** @description How much slower than the host the device is. */
            cpuSlowdownMultiplier: number;
        };
        /** @description The browser blocks requests of the page whose URL contains one of these patterns. `*` stands for any characters. Case matters. */
        BlockedUrlPatterns: string[];
        /**
         * @description State of a check. `succeeded`, `partial` and `failed` are final: all runs are finished. `partial` means that some but not all succeeded.
         * @enum {string}
         */
        CheckState: "created" | "running" | "succeeded" | "partial" | "failed";
        CreateLink: {
            /** @description Life of the link in days, `1d` to `30d`. Default: `7d`. */
            expiresIn?: string;
        };
        /** @description The inputs of the check, and the ids of its runs. */
        CreatedCheck: {
            device?: components["schemas"]["Device"];
            /** @description Number of audits of a run. The run shows the median one. Default: 1. */
            samples?: number;
            /** @description Default: all categories of the audit version except `agentic-browsing`. */
            categories?: components["schemas"]["Category"][];
            labels?: components["schemas"]["Labels"];
            throttling?: components["schemas"]["ThrottlingOutput"];
            blockedUrlPatterns?: components["schemas"]["BlockedUrlPatterns"];
            /** Format: uuid */
            id: string;
            auditVersion: components["schemas"]["AuditVersion"];
            /** @description The URL, exactly as it was sent. */
            url: string;
            regions: components["schemas"]["Region"][];
            runs: {
                /** Format: uuid */
                id: string;
                region: components["schemas"]["Region"];
                state: components["schemas"]["RunState"];
            }[];
        };
        /**
         * @description Exact version of Lighthouse.
         * @enum {string}
         */
        AuditVersion: "13.5.0" | "12.8.2" | "11.7.1" | "10.4.0" | "9.6.8";
        /**
         * @description State of a run. `succeeded` and `failed` are final.
         * @enum {string}
         */
        RunState: "created" | "running" | "succeeded" | "failed";
        /** @description Problem document (RFC 9457). */
        Problem: {
            /** @description URN of the code. */
            type: string;
            title: string;
            status: number;
            /** @description The cause, and what would be accepted. */
            detail: string;
            /** @enum {string} */
            code: "invalid-request" | "unsupported-region" | "unsupported-audit-version" | "forbidden-target" | "unauthorized" | "forbidden" | "not-found" | "report-unavailable" | "method-not-allowed" | "being-erased" | "report-not-ready" | "payload-too-large" | "unsupported-media-type" | "idempotency-mismatch" | "not-comparable" | "too-many-requests" | "internal" | "unavailable";
            requestId: string;
            /** @description Every wrong input. */
            errors?: {
                path: string;
                message: string;
            }[];
        };
        /** @description A check in a list. Its runs have only the metrics that people look at first. */
        CheckSummary: {
            /** Format: uuid */
            id: string;
            auditVersion: components["schemas"]["AuditVersion"];
            /** @description The URL, exactly as it was sent. */
            url: string;
            regions: components["schemas"]["Region"][];
            device?: components["schemas"]["Device"];
            /** @description Number of audits of a run. The run shows the median one. Default: 1. */
            samples?: number;
            /** @description Default: all categories of the audit version except `agentic-browsing`. */
            categories?: components["schemas"]["Category"][];
            labels?: components["schemas"]["Labels"];
            throttling?: components["schemas"]["ThrottlingOutput"];
            blockedUrlPatterns?: components["schemas"]["BlockedUrlPatterns"];
            /** Format: date-time */
            createdAt: string;
            runs: {
                /** Format: uuid */
                id: string;
                region: components["schemas"]["Region"];
                state: components["schemas"]["RunState"];
                performance: components["schemas"]["Score"] | null;
                lcp: components["schemas"]["Milliseconds"] | null;
                tbt: components["schemas"]["Milliseconds"] | null;
                cls: number | null;
            }[];
            state: components["schemas"]["CheckState"];
            /**
             * Format: date-time
             * @description Time of the last change that a client can see.
             */
            updatedAt: string;
            /** @description Relative URLs. `page` is for people. */
            links: {
                self: string;
                comparison: string;
                page: string;
            };
        };
        /** @description Score from 0 to 100. */
        Score: number;
        /** @description Time in milliseconds, such as `633ms`. */
        Milliseconds: string;
        /** @description A finished run in the series of a URL. */
        RunSummary: {
            /** Format: uuid */
            id: string;
            url: string;
            region: components["schemas"]["Region"];
            device: components["schemas"]["Device"];
            auditVersion: components["schemas"]["AuditVersion"];
            state: components["schemas"]["RunState"];
            /** Format: uuid */
            checkId: string;
            /** Format: date-time */
            createdAt: string;
            finishedAt: string | null;
            performance: components["schemas"]["Score"] | null;
            accessibility: components["schemas"]["Score"] | null;
            bestPractices: components["schemas"]["Score"] | null;
            pwa: components["schemas"]["Score"] | null;
            seo: components["schemas"]["Score"] | null;
            agenticBrowsing: components["schemas"]["Score"] | null;
            fcp: components["schemas"]["Milliseconds"] | null;
            si: components["schemas"]["Milliseconds"] | null;
            lcp: components["schemas"]["Milliseconds"] | null;
            tti: components["schemas"]["Milliseconds"] | null;
            tbt: components["schemas"]["Milliseconds"] | null;
            cls: number | null;
            sampleCount: number;
            errorCode: components["schemas"]["RunProblemCode"] | null;
            contended: boolean | null;
            benchmarkIndex: number | null;
            /** @description As in a create. Null if the audit did not get so far, and in older entries. */
            throttling: components["schemas"]["ThrottlingOutput"] | null;
            labels?: components["schemas"]["Labels"];
            numericValues: components["schemas"]["NumericValues"];
            /** @description Relative URLs. Null if the run has expired, because a run summary lives longer. */
            links: {
                self: string | null;
                check: string | null;
            };
        };
        /**
         * @description Why a run or an attempt failed.
         * @enum {string}
         */
        RunProblemCode: "dns-failure" | "unreachable" | "tls-error" | "invalid-response" | "http-error" | "not-html" | "no-content" | "page-hung" | "page-crashed" | "page-too-large" | "load-timeout" | "redirect-loop" | "forbidden-target" | "browser-crashed" | "protocol-timeout" | "audit-timeout" | "no-screenshots" | "storage-failure" | "abandoned" | "internal";
        /** @description The metrics as plain numbers: times in milliseconds with full precision, `cls` unitless. */
        NumericValues: {
            fcp: number | null;
            si: number | null;
            lcp: number | null;
            tti: number | null;
            tbt: number | null;
            cls: number | null;
        };
        /** @description One URL tested in one or more regions. */
        Check: {
            /** Format: uuid */
            id: string;
            auditVersion: components["schemas"]["AuditVersion"];
            /** @description The URL, exactly as it was sent. */
            url: string;
            regions: components["schemas"]["Region"][];
            device?: components["schemas"]["Device"];
            /** @description Number of audits of a run. The run shows the median one. Default: 1. */
            samples?: number;
            /** @description Default: all categories of the audit version except `agentic-browsing`. */
            categories?: components["schemas"]["Category"][];
            labels?: components["schemas"]["Labels"];
            throttling?: components["schemas"]["ThrottlingOutput"];
            blockedUrlPatterns?: components["schemas"]["BlockedUrlPatterns"];
            /** Format: date-time */
            createdAt: string;
            /** @description One run per region, in the order of `regions`. */
            runs: components["schemas"]["Run"][];
            state: components["schemas"]["CheckState"];
            /**
             * Format: date-time
             * @description Time of the last change that a client can see.
             */
            updatedAt: string;
            /** @description Relative URLs. `page` is for people. */
            links: {
                self: string;
                comparison: string;
                page: string;
            };
        };
        /** @description One region's audit of the URL of a check. An unknown value is null. */
        Run: {
            /** Format: uuid */
            id: string;
            auditVersion: components["schemas"]["AuditVersion"];
            url: string;
            region: components["schemas"]["Region"];
            device: components["schemas"]["Device"];
            state: components["schemas"]["RunState"];
            performance: components["schemas"]["Score"] | null;
            accessibility: components["schemas"]["Score"] | null;
            bestPractices: components["schemas"]["Score"] | null;
            pwa: components["schemas"]["Score"] | null;
            seo: components["schemas"]["Score"] | null;
            agenticBrowsing: components["schemas"]["Score"] | null;
            fcp: components["schemas"]["Milliseconds"] | null;
            si: components["schemas"]["Milliseconds"] | null;
            lcp: components["schemas"]["Milliseconds"] | null;
            tti: components["schemas"]["Milliseconds"] | null;
            tbt: components["schemas"]["Milliseconds"] | null;
            cls: number | null;
            /** @description The samples so far while the run is in work. None if it failed. */
            samples: components["schemas"]["Sample"][];
            /** @description Smallest and largest value of each metric, from two samples on. */
            spread: components["schemas"]["Spread"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            startedAt: string | null;
            finishedAt: string | null;
            /** @description The page that was measured, after redirects. */
            finalUrl: string | null;
            warnings: string[];
            /** @description At most 50 targets, those with the most requests first. */
            blockedRequests: {
                host: string;
                port: number;
                reason: string;
                count: number;
            }[];
            /** @description Number of all blocked requests. */
            blockedRequestCount: number;
            error: components["schemas"]["RunError"] | null;
            attempts: {
                number: number;
                /** Format: date-time */
                startedAt: string;
                /** Format: date-time */
                finishedAt: string;
                seconds: number;
                /** @description Error code of a failed attempt. Null if the attempt gave a sample. */
                code: components["schemas"]["RunProblemCode"] | null;
                /** @description Lighthouse's own error code. */
                auditCode: string | null;
                /** @description True if other processes used the CPU during the attempt. */
                contended: boolean;
            }[];
            environment: {
                auditVersion: components["schemas"]["AuditVersion"];
                chromium: string;
                /** @description True if Chromium's own sandbox contained the page's processes. Not every host allows the sandbox. */
                sandbox: boolean | null;
                device: components["schemas"]["Device"] | null;
                /** @description Lighthouse's `throttlingMethod`. */
                throttling: string | null;
                /** @description Values of the simulation. Null if the audit simulated nothing, and in older runs. */
                throttlingValues: {
                    /** @description Round-trip time of the network in milliseconds. */
                    rttMs: number;
                    /** @description Throughput of the network in kilobits per second. */
                    throughputKbps: number;
                    /** @description How much slower than the host the device is. */
                    cpuSlowdownMultiplier: number;
                } | null;
                /** @description The `blockedUrlPatterns` of the check. */
                blockedUrlPatterns: string[];
                /** @description Lighthouse's CPU benchmark of the host. A desktop has 1,000 or more, a slow phone 150. */
                benchmarkIndex: number | null;
                /** @description Time of that benchmark. Audits of one host share it for ten minutes. Null in older runs. */
                benchmarkedAt: string | null;
                cpuCount: number | null;
                memoryMiB: number | null;
                /** @description Release of the operating system. */
                kernel: string | null;
                /** @description Fingerprint of CPU, memory and kernel. Results from hosts with the same fingerprint are comparable. */
                host: string | null;
                /** @description Share of CPU time (0 to 1) that processes outside the service used during the timed part of the audit. */
                cpuBusy: number | null;
                /** @description Share of the busy CPU time (0 to 1) that a hypervisor took for other machines. Null in older runs. */
                cpuStolen: number | null;
                /** @description True if the audit waited for that CPU time. The performance score may then be too low. */
                contended: boolean | null;
            } | null;
            numericValues: components["schemas"]["NumericValues"];
            /** @description Relative URLs. `page` is for people. The links to the report and its images are null if the run has no report. */
            links: {
                self: string;
                check: string;
                page: string;
                report: string | null;
                screenshot: string | null;
                filmstrip: string | null;
            };
        };
        /** @description Results of one audit of a run. */
        Sample: {
            performance: components["schemas"]["Score"] | null;
            accessibility: components["schemas"]["Score"] | null;
            bestPractices: components["schemas"]["Score"] | null;
            pwa: components["schemas"]["Score"] | null;
            seo: components["schemas"]["Score"] | null;
            agenticBrowsing: components["schemas"]["Score"] | null;
            fcp: components["schemas"]["Milliseconds"] | null;
            si: components["schemas"]["Milliseconds"] | null;
            lcp: components["schemas"]["Milliseconds"] | null;
            tti: components["schemas"]["Milliseconds"] | null;
            tbt: components["schemas"]["Milliseconds"] | null;
            cls: number | null;
            cpuBusy: number | null;
            contended: boolean | null;
        };
        Spread: {
            performance: {
                min: components["schemas"]["Score"];
                max: components["schemas"]["Score"];
            } | null;
            accessibility: {
                min: components["schemas"]["Score"];
                max: components["schemas"]["Score"];
            } | null;
            bestPractices: {
                min: components["schemas"]["Score"];
                max: components["schemas"]["Score"];
            } | null;
            pwa: {
                min: components["schemas"]["Score"];
                max: components["schemas"]["Score"];
            } | null;
            seo: {
                min: components["schemas"]["Score"];
                max: components["schemas"]["Score"];
            } | null;
            agenticBrowsing: {
                min: components["schemas"]["Score"];
                max: components["schemas"]["Score"];
            } | null;
            fcp: {
                min: components["schemas"]["Milliseconds"];
                max: components["schemas"]["Milliseconds"];
            } | null;
            si: {
                min: components["schemas"]["Milliseconds"];
                max: components["schemas"]["Milliseconds"];
            } | null;
            lcp: {
                min: components["schemas"]["Milliseconds"];
                max: components["schemas"]["Milliseconds"];
            } | null;
            tti: {
                min: components["schemas"]["Milliseconds"];
                max: components["schemas"]["Milliseconds"];
            } | null;
            tbt: {
                min: components["schemas"]["Milliseconds"];
                max: components["schemas"]["Milliseconds"];
            } | null;
            cls: {
                min: number;
                max: number;
            } | null;
        };
        /** @description Error of a failed run. */
        RunError: {
            code: components["schemas"]["RunProblemCode"];
            message: string;
            /** @enum {string} */
            blame: "page" | "service";
            retryable: boolean;
            /** @description Lighthouse's own code. */
            auditCode: string | null;
            /** @description The last address. */
            finalUrl?: string;
        };
        /** @description A link with which anyone can read one check. */
        ShareLink: {
            /**
             * Format: uri
             * @description URL of the web page of the check. Its fragment has the share token.
             */
            url: string;
            /**
             * Format: date-time
             * @description The link ends with its check if that expires earlier.
             */
            expiresAt: string;
        };
        /** @description The regions of a check compared. `best` and `worst` are null if all values are equal. */
        RegionComparison: {
            /** Format: uuid */
            checkId: string;
            regions: components["schemas"]["Region"][];
            comparable: boolean;
            reasons: components["schemas"]["Reason"][];
            baseCheckId: null;
            metrics: {
                performance: components["schemas"]["ComparedRegions"];
                accessibility: components["schemas"]["ComparedRegions"];
                bestPractices: components["schemas"]["ComparedRegions"];
                pwa: components["schemas"]["ComparedRegions"];
                seo: components["schemas"]["ComparedRegions"];
                agenticBrowsing: components["schemas"]["ComparedRegions"];
                fcp: components["schemas"]["ComparedRegions"];
                si: components["schemas"]["ComparedRegions"];
                lcp: components["schemas"]["ComparedRegions"];
                tti: components["schemas"]["ComparedRegions"];
                tbt: components["schemas"]["ComparedRegions"];
                cls: components["schemas"]["ComparedRegions"];
            };
        };
        /** @description A reason against a comparison, and the region that it is about. */
        Reason: {
            /** @enum {string} */
            code: "failed" | "missing-region" | "contended" | "different-machine" | "different-version" | "different-device" | "different-throttling" | "different-blocked-urls" | "fewer-samples";
            region: components["schemas"]["Region"];
        };
        /** @description The verdict is about the best and the worst region. */
        ComparedRegions: {
            values: {
                [key: string]: number | string | null;
            };
            best: components["schemas"]["Region"] | null;
            worst: components["schemas"]["Region"] | null;
            difference: number | string | null;
            /** @enum {string} */
            verdict: "different" | "same" | "unknown";
        };
        /** @description Two checks compared, region by region. */
        CheckComparison: {
            /** Format: uuid */
            checkId: string;
            regions: components["schemas"]["Region"][];
            comparable: boolean;
            reasons: components["schemas"]["Reason"][];
            /** Format: uuid */
            baseCheckId: string;
            metrics: {
                performance: components["schemas"]["ComparedChecks"];
                accessibility: components["schemas"]["ComparedChecks"];
                bestPractices: components["schemas"]["ComparedChecks"];
                pwa: components["schemas"]["ComparedChecks"];
                seo: components["schemas"]["ComparedChecks"];
                agenticBrowsing: components["schemas"]["ComparedChecks"];
                fcp: components["schemas"]["ComparedChecks"];
                si: components["schemas"]["ComparedChecks"];
                lcp: components["schemas"]["ComparedChecks"];
                tti: components["schemas"]["ComparedChecks"];
                tbt: components["schemas"]["ComparedChecks"];
                cls: components["schemas"]["ComparedChecks"];
            };
        };
        /** @description The verdict is the first of `regressed`, `improved`, `unknown` and `same` that a region has. A difference is the value minus the value of the base. */
        ComparedChecks: {
            regions: {
                [key: string]: {
                    base: number | string | null;
                    value: number | string | null;
                    difference: number | string | null;
                    /** @enum {string} */
                    verdict: "improved" | "regressed" | "same" | "unknown";
                };
            };
            /** @enum {string} */
            verdict: "improved" | "regressed" | "same" | "unknown";
        };
        /** @description The full Lighthouse result as that version wrote it, plus `auditVersion`. */
        Report: {
            lighthouseVersion?: string;
        } & {
            [key: string]: unknown;
        };
        Plan: {
            auditsPerMinute: number;
            auditsPerDay: number;
            openChecks: number;
        };
        /** @description `none` measures the page at the speed of the host and its network. An object has the values of Lighthouse's simulation. Default: the preset of the device. */
        ThrottlingOutput: "none" | {
            /** @description Round-trip time of the network in milliseconds. */
            rttMs: number;
            /** @description Throughput of the network in kilobits per second. */
            throughputKbps: number;
            /** @description How much slower than the host the device is. */
            cpuSlowdownMultiplier: number;
        };
    };
    responses: {
        /** @description `invalid-request`: The request is invalid. `unsupported-region`: The region is not supported. `unsupported-audit-version`: The audit version is not supported. `forbidden-target`: The URL cannot be audited. */
        InvalidRequestOrUnsupportedRegionOrUnsupportedAuditVersionOrForbiddenTarget: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "invalid-request" | "unsupported-region" | "unsupported-audit-version" | "forbidden-target";
                    /** @constant */
                    status: 400;
                };
            };
        };
        /** @description `unauthorized`: A valid API key is required. */
        Unauthorized: {
            headers: {
                /** @description The scheme, and the fault of the key (RFC 6750). */
                "www-authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "unauthorized";
                    /** @constant */
                    status: 401;
                };
            };
        };
        /** @description `forbidden`: The request is not allowed. */
        Forbidden: {
            headers: {
                /** @description The scheme, and the fault of the key (RFC 6750). */
                "www-authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "forbidden";
                    /** @constant */
                    status: 403;
                };
            };
        };
        /** @description `being-erased`: The check is being erased. */
        BeingErased: {
            headers: {
                /** @description Seconds after which the client should send the request again. */
                "retry-after": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "being-erased";
                    /** @constant */
                    status: 409;
                };
            };
        };
        /** @description `payload-too-large`: The request body is too large. */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "payload-too-large";
                    /** @constant */
                    status: 413;
                };
            };
        };
        /** @description `unsupported-media-type`: The request body must be JSON. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "unsupported-media-type";
                    /** @constant */
                    status: 415;
                };
            };
        };
        /** @description `idempotency-mismatch`: The idempotency key was used with another body. */
        IdempotencyMismatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "idempotency-mismatch";
                    /** @constant */
                    status: 422;
                };
            };
        };
        /** @description `too-many-requests`: A limit is reached. */
        TooManyRequests: {
            headers: {
                /** @description Seconds after which the client should send the request again. */
                "retry-after": string;
                /** @description The limit closest to exhaustion: audits left, and seconds until one more. */
                ratelimit?: string;
                /** @description The limits of the plan, in audits. */
                "ratelimit-policy"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "too-many-requests";
                    /** @constant */
                    status: 429;
                };
            };
        };
        /** @description `internal`: The service failed to handle the request. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "internal";
                    /** @constant */
                    status: 500;
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        Unavailable: {
            headers: {
                /** @description Seconds after which the client should send the request again. */
                "retry-after"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "unavailable";
                    /** @constant */
                    status: 503;
                };
            };
        };
        /** @description `invalid-request`: The request is invalid. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "invalid-request";
                    /** @constant */
                    status: 400;
                };
            };
        };
        /** @description `not-found`: The resource was not found. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "not-found";
                    /** @constant */
                    status: 404;
                };
            };
        };
        /** @description `report-not-ready`: The result is not ready. */
        ReportNotReady: {
            headers: {
                /** @description Seconds after which the client should send the request again. */
                "retry-after": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "report-not-ready";
                    /** @constant */
                    status: 409;
                };
            };
        };
        /** @description `not-comparable`: The results cannot be compared. */
        NotComparable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "not-comparable";
                    /** @constant */
                    status: 422;
                };
            };
        };
        /** @description `not-found`: The resource was not found. `report-unavailable`: The run has no report. */
        NotFoundOrReportUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "not-found" | "report-unavailable";
                    /** @constant */
                    status: 404;
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listChecks: {
        parameters: {
            query?: {
                /** @description The limit must be a whole number from 1 to 100. */
                limit?: number;
                /** @description The cursor must be the `nextCursor` of an earlier answer. To begin at the newest, leave it out. */
                cursor?: string;
                /** @description The URL must start with http:// or https://, such as https://example.com/. */
                url?: string;
                /** @description The device must be one of: mobile, desktop. */
                device?: components["schemas"]["Device"];
                /** @description The audit version must be one of: 13.5.0, 12.8.2, 11.7.1, 10.4.0, 9.6.8, a major such as 12, or latest. */
                auditVersion?: string;
                /** @description The state must be one of: created, running, succeeded, partial, failed. */
                state?: components["schemas"]["CheckState"];
                /** @description A label must be a name, a colon and a value, such as branch:main. */
                label?: string[];
                /** @description The time must be in ISO 8601 with a time zone, such as 2031-01-01T00:00:00Z. */
                createdAfter?: string;
                /** @description The time must be in ISO 8601 with a time zone, such as 2031-01-01T00:00:00Z. */
                createdBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    /** @description URL of the next page, with `rel="next"` (RFC 8288). */
                    link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        checks: components["schemas"]["CheckSummary"][];
                        /** @description Ids of entries of this page whose stored data this release can not read. Absent if there are none. */
                        unreadable?: string[];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCheck"];
            };
        };
        responses: {
            /** @description The check of an earlier create with this key. */
            200: {
                headers: {
                    /** @description URL of the check or of the report. */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCheck"];
                };
            };
            /** @description The new check. */
            201: {
                headers: {
                    /** @description URL of the check or of the report. */
                    location: string;
                    /** @description The limit closest to exhaustion: audits left, and seconds until one more. */
                    ratelimit?: string;
                    /** @description The limits of the plan, in audits. */
                    "ratelimit-policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCheck"];
                };
            };
            400: components["responses"]["InvalidRequestOrUnsupportedRegionOrUnsupportedAuditVersionOrForbiddenTarget"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["BeingErased"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRuns: {
        parameters: {
            query: {
                /** @description The limit must be a whole number from 1 to 100. */
                limit?: number;
                /** @description The cursor must be the `nextCursor` of an earlier answer. To begin at the newest, leave it out. */
                cursor?: string;
                /** @description The URL must start with http:// or https://, such as https://example.com/. */
                url: string;
                /** @description The region must be one of: us-west1, us-east4, europe-north1, europe-west3, asia-northeast1, australia-southeast1. */
                region?: components["schemas"]["Region"];
                /** @description The device must be one of: mobile, desktop. */
                device?: components["schemas"]["Device"];
                /** @description The audit version must be one of: 13.5.0, 12.8.2, 11.7.1, 10.4.0, 9.6.8, a major such as 12, or latest. */
                auditVersion?: string;
                /** @description A label must be a name, a colon and a value, such as branch:main. */
                label?: string[];
                /** @description The time must be in ISO 8601 with a time zone, such as 2031-01-01T00:00:00Z. */
                createdAfter?: string;
                /** @description The time must be in ISO 8601 with a time zone, such as 2031-01-01T00:00:00Z. */
                createdBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    /** @description URL of the next page, with `rel="next"` (RFC 8288). */
                    link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runs: components["schemas"]["RunSummary"][];
                        /** @description Ids of entries of this page whose stored data this release can not read. Absent if there are none. */
                        unreadable?: string[];
                        nextCursor: string | null;
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
                /** @description `wait=` and a number of seconds, at most 25 (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description Id of the check. */
                checkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    /** @description Seconds after which the client should send the request again. */
                    "retry-after"?: string;
                    /** @description The wait that the service has applied (RFC 7240). */
                    "preference-applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Check"];
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    /** @description Seconds after which the client should send the request again. */
                    "retry-after"?: string;
                    /** @description The wait that the service has applied (RFC 7240). */
                    "preference-applied"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the check. */
                checkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check is erased. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the check. */
                checkId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateLink"];
            };
        };
        responses: {
            /** @description The link. Nobody can read it again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteLinks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the check. */
                checkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No link of the check works any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getComparison: {
        parameters: {
            query?: {
                /** @description Id of the earlier check to compare with. */
                base?: string;
            };
            header?: never;
            path: {
                /** @description Id of the check. */
                checkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comparison. `baseCheckId` is null if it compares regions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionComparison"] | components["schemas"]["CheckComparison"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ReportNotReady"];
            422: components["responses"]["NotComparable"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRun: {
        parameters: {
            query?: {
                /** @description Id of the check. If it is sent, it must match. */
                checkId?: string;
            };
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
                /** @description `wait=` and a number of seconds, at most 25 (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description Id of the check. */
                checkId: string;
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    /** @description Seconds after which the client should send the request again. */
                    "retry-after"?: string;
                    /** @description The wait that the service has applied (RFC 7240). */
                    "preference-applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    /** @description Seconds after which the client should send the request again. */
                    "retry-after"?: string;
                    /** @description The wait that the service has applied (RFC 7240). */
                    "preference-applied"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReport: {
        parameters: {
            query?: {
                /** @description Id of the check. If it is sent, it must match. */
                checkId?: string;
            };
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the check. */
                checkId: string;
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                    "text/html": string;
                };
            };
            /** @description The report is large. `Location` is valid for five minutes. */
            303: {
                headers: {
                    /** @description URL of the check or of the report. */
                    location: string;
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFoundOrReportUnavailable"];
            409: components["responses"]["ReportNotReady"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScreenshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the check. */
                checkId: string;
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFoundOrReportUnavailable"];
            409: components["responses"]["ReportNotReady"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFilmstrip: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the check. */
                checkId: string;
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The images in the order of time. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        frames: {
                            /** @description Milliseconds since the start of the navigation. */
                            timing: number;
                            /** @description A data URL of a JPEG image. */
                            image: string;
                        }[];
                    };
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFoundOrReportUnavailable"];
            409: components["responses"]["ReportNotReady"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRunById: {
        parameters: {
            query?: {
                /** @description Id of the check. If it is sent, it must match. */
                checkId?: string;
            };
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
                /** @description `wait=` and a number of seconds, at most 25 (RFC 7240). */
                Prefer?: string;
            };
            path: {
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    /** @description Seconds after which the client should send the request again. */
                    "retry-after"?: string;
                    /** @description The wait that the service has applied (RFC 7240). */
                    "preference-applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    /** @description Seconds after which the client should send the request again. */
                    "retry-after"?: string;
                    /** @description The wait that the service has applied (RFC 7240). */
                    "preference-applied"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReportByRunId: {
        parameters: {
            query?: {
                /** @description Id of the check. If it is sent, it must match. */
                checkId?: string;
            };
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                    "text/html": string;
                };
            };
            /** @description The report is large. `Location` is valid for five minutes. */
            303: {
                headers: {
                    /** @description URL of the check or of the report. */
                    location: string;
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFoundOrReportUnavailable"];
            409: components["responses"]["ReportNotReady"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAuditVersions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        versions: {
                            version: components["schemas"]["AuditVersion"];
                            aliases: string[];
                            categories: components["schemas"]["Category"][];
                            metrics: ("fcp" | "si" | "lcp" | "tti" | "tbt" | "cls")[];
                        }[];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRegions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The regions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        regions: {
                            id: components["schemas"]["Region"];
                            awsRegion: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        maxBodyBytes: number;
                        maxUrlLength: number;
                        maxSamples: number;
                        /** @description Ports that a page may use. */
                        ports: number[];
                        /** @description Days until a check and its reports are deleted. */
                        retentionDays: number;
                        /** @description Days until a run leaves `GET /v1/runs`. */
                        trendDays: number;
                        plans: {
                            small: components["schemas"]["Plan"];
                            standard: components["schemas"]["Plan"];
                            large: components["schemas"]["Plan"];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Swagger UI. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDocsFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Hash of the files of the page. */
                version: string;
                /** @description Name of the file. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                    "text/javascript": string;
                    "image/png": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHomePage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The web page, which reads the API. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCheckPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the check. */
                checkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The web page, which reads the API. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRunPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the check. */
                checkId: string;
                /** @description Id of the run. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The web page, which reads the API. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTrendPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The web page, which reads the API. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getComparisonPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The ids of two checks, the earlier one first, joined by `...`. */
                pair: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The web page, which reads the API. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebPageFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of answers that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Hash of the files of the page. */
                version: string;
                /** @description Name of the file. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                    "text/javascript": string;
                    "text/html": string;
                    "image/svg+xml": string;
                };
            };
            /** @description The client has the present answer. */
            304: {
                headers: {
                    /** @description Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed. */
                    etag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ready";
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
