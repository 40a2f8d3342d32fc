import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Returns the account id of a construct. It is a token if the environment names no account. */
export const accountOf = (scope: Construct): string => Stack.of(scope).account;
