/** What a person or a program is shown: progress, tables, a plot. */
@NullMarked
package dev.perigee.bench.report;

import org.jspecify.annotations.NullMarked;
