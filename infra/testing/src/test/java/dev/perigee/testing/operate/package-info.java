/**
 * What operators are given: metrics, dashboards, alerts, images and charts, held to the product.
 */
@NullMarked
package dev.perigee.testing.operate;

import org.jspecify.annotations.NullMarked;
