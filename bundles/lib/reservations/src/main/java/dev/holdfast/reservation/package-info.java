/**
 * Persistent reservations of a volume, in one model for SCSI and NVMe, which differ only in their
 * numbers. Immutable values without locks or storage; {@code dev.holdfast.frontend.ExportState}
 * stores them. {@link dev.holdfast.reservation.WriteGate} waits until the running writes of
 * preempted clients have ended.
 */
@Export
@Version("1.2.0")
package dev.holdfast.reservation;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
