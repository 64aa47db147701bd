/**
 * Says of a fleet's run whether everything happened exactly as promised: reads what was asked, the
 * topics, the side effects of tools on disk and the processes of the machine. {@link
 * dev.perigee.testing.history.History} decides and is pure; the others collect for it.
 */
@NullMarked
package dev.perigee.testing.history;

import org.jspecify.annotations.NullMarked;
