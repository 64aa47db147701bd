/**
 * Secrets by reference: what a worker has in place of the references of a configuration, from files
 * or from a program of the operator's. Values are never logged, and kept no longer than the server
 * that they were asked for.
 */
@NullMarked
package dev.perigee.worker.secret;

import org.jspecify.annotations.NullMarked;
