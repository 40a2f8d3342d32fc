export const checkStates = ['created', 'running', 'succeeded', 'partial', 'failed'] as const;
