/** Reports about a host that several callers share. Knows neither LVM nor blobs. */
package dev.holdfast.engine.lvm.blobs.internal.reports;
