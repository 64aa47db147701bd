/**
 * Child processes of a worker: how they are spawned, how their pipes are read and written, how
 * their whole tree is ended, and what makes sure that none outlives the worker. Other packages use
 * {@link dev.perigee.worker.process.ProcessLauncher}, {@link
 * dev.perigee.worker.process.ChildProcess} and {@link dev.perigee.worker.process.Termination}; the
 * native calls stay inside. Nothing here knows what the bytes mean.
 */
@NullMarked
package dev.perigee.worker.process;

import org.jspecify.annotations.NullMarked;
