/**
 * A branch that the path of a route names. Ids of branches can hold slashes: they are percent-encoded there, or `-` stands in the path and
 * `?branchId=` says which one is meant, for whom a proxy undoes the encoding.
 */
import { z } from 'zod';

export const BranchInPath = z
  .string()
  .min(1)
  .max(400)
  .describe('Id of a branch, with slashes as %2F; or "-", with the id in the query, which counts in any case.');
