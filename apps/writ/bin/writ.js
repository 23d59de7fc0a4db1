#!/usr/bin/env node
import '../dist/writ.js';
