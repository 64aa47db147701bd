/**
 * The tools of a server: discovering them, keeping the catalogue, listing and searching, what a
 * request asks of a server, when it is tried again, how its answer becomes a result and what its
 * failure says of the server. Nothing here knows instances, processes or journals.
 */
@NullMarked
package dev.perigee.worker.tool;

import org.jspecify.annotations.NullMarked;
