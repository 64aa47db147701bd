/**
 * The {@code perigee} command line: one class per command, none with logic of its own beyond
 * options, texts and exit codes. Names, options and exit codes are public; they change by addition
 * only.
 */
@NullMarked
package dev.perigee.local.cli;

import org.jspecify.annotations.NullMarked;
