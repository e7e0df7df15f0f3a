#!/usr/bin/env node
import { createProgram } from './create-program';

void createProgram().parseAsync(process.argv);
