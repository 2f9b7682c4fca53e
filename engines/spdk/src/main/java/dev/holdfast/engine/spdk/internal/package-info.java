/** The engine: an OSGi service over the parts in the packages below. */
package dev.holdfast.engine.spdk.internal;
