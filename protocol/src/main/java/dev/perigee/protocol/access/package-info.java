/**
 * Who may ask: tokens that others present or two sides prove to each other, who may see a part's
 * admin pages, and how many strangers may be connected.
 */
@NullMarked
package dev.perigee.protocol.access;

import org.jspecify.annotations.NullMarked;
