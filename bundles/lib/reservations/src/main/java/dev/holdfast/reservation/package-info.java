/**
 * Persistent reservations of a volume, as one model: SCSI's and NVMe's are the same but for their
 * numbers. Values without locks or storage; {@code dev.holdfast.frontend.ExportState} keeps them.
 * {@link dev.holdfast.reservation.WriteGate} waits until the running writes of preempted clients
 * have ended.
 */
@Export
@Version("1.2.0")
package dev.holdfast.reservation;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
