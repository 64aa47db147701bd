/**
 * The tools of a server: discovering them, keeping the catalogue, listing and searching, what a
 * request asks of a server and how its answer becomes a result. Nothing here knows status,
 * processes or journals.
 */
@NullMarked
package dev.perigee.worker.tool;

import org.jspecify.annotations.NullMarked;
