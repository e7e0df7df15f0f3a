/** For tests that start real servers and processes. (jest ignores `testTimeout` in a project.) */
jest.setTimeout(60_000);
