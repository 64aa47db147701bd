/**
 * What end-to-end, fault and guarantee suites share: the MCP servers they run and the fleet they
 * run it on. Speaks to the fleet only through topics, processes and signals, as a backend and an
 * operator would; nothing of the product depends on it.
 */
@NullMarked
package dev.perigee.testing;

import org.jspecify.annotations.NullMarked;
