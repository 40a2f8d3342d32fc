import { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import { AlarmTopic } from './alarm.ts';

/**
 * Warns at the topic of the home region at four fifths of the monthly budget, and when AWS forecasts more than all of it. The
 * budget counts the resources with the tag `environment` of this environment.
 */
export const budget = (scope: Construct, { name, names, budgetDollars }: Environment): CfnBudget => {
  const topic = AlarmTopic.of(scope);
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('budgets.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  const notice = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
    subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
  });
  return new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName: names.service,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: budgetDollars, unit: 'USD' },
      costFilters: { TagKeyValue: [`user:environment$${name}`] },
    },
    notificationsWithSubscribers: [notice('ACTUAL', 80), notice('FORECASTED', 100)],
  });
};
