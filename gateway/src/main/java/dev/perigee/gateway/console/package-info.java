/**
 * The console: pages for operators on the admin address that show the fleet as it is. It only
 * reads: the topics that backends read too, with a consumer outside any group while somebody
 * watches, and what this gateway knows itself. Everything that it keeps is bounded and forgotten
 * when the last viewer has gone.
 */
@NullMarked
package dev.perigee.gateway.console;

import org.jspecify.annotations.NullMarked;
