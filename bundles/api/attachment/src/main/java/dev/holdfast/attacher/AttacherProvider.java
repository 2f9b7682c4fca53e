package dev.holdfast.attacher;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A type of attachment ticket. Register an implementation as an OSGi service. Tickets of a type
 * without a service are kept and still hold their volume, but the controller does not select them
 * for new attachments.
 */
@ConsumerType
public interface AttacherProvider {

  /** Returns the value of {@code ticket.type}, for example {@code csi-attacher}, never null. */
  String name();

  /**
   * Returns the priority for the selection of a ticket while the volume is fully detached. The
   * highest value is selected first.
   */
  int priority();

  /**
   * Returns the role of tickets of this type. A workload's ticket interrupts interruptible tickets
   * that hold the volume on another node.
   */
  Role role();

  /** Interaction of a ticket type with tickets for other nodes. */
  enum Role {
    /** Use of the volume by a user or a pod. Interrupts interruptible tickets on other nodes. */
    WORKLOAD,
    /** Maintenance that a workload on another node may interrupt. */
    INTERRUPTIBLE,
    /** Maintenance that must not be interrupted. */
    UNINTERRUPTIBLE
  }
}
