/**
 * The console: pages for operators on the admin address that show the fleet as it is, and let them
 * act. It reads the topics that backends read too, with a consumer outside any group while a viewer
 * is connected, and what this gateway knows; an action is a record as a backend would send it.
 * Everything that it keeps is bounded and forgotten when the last viewer has gone.
 */
@NullMarked
package dev.perigee.console;

import org.jspecify.annotations.NullMarked;
