/** Shape of memories, as people and agents give them. */
import { z } from 'zod';

export const MemoryText = z.string().trim().min(1).max(1000);
