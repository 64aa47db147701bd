/**
 * What the command line of each part is made of: options, texts, exit codes, logs, the ready line
 * and the end. Knows of a part how it is configured and how it says that it is ready.
 */
@NullMarked
package dev.perigee.part;

import org.jspecify.annotations.NullMarked;
