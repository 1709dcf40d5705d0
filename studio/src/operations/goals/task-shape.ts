/** Shapes of tasks, as callers see them. */
import { z } from 'zod';
import { TASK_STATUSES } from '../../record/aggregates/task/task.js';

export const TaskId = z.string().min(1).max(200).describe('Id of a task.');

export const Task = z
  .object({
    taskId: z.string().describe('Id of the task.'),
    workUnitId: z.string().describe('Work unit that it is a part of.'),
    title: z.string().describe('What is to be done, in a line.'),
    description: z.string().describe('What is to be done.'),
    status: z.enum(TASK_STATUSES).describe('State of the task.'),
    assignee: z.string().optional().describe('Agent that it was given to.'),
    priority: z.number().describe('The higher, the sooner.'),
    domain: z.string().optional().describe('What it is about.'),
    repositoryId: z.string().optional().describe('Repository that it is about.'),
  })
  .meta({ id: 'Task', description: 'Something to be done within a work unit.' });
