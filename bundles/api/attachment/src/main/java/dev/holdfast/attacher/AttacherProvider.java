package dev.holdfast.attacher;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A type of attachment ticket. Register an implementation as an OSGi service. The tickets of a type
 * without a service are kept and still hold their volume, but are not newly selected.
 */
@ConsumerType
public interface AttacherProvider {

  /** Returns what {@code ticket.type} says, for example {@code csi-attacher}, never null. */
  String name();

  /** Returns the priority of selection while the volume is fully detached; higher goes first. */
  int priority();

  /**
   * Returns what a ticket of this type is: a workload's ticket interrupts interruptible ones that
   * hold the volume on another node.
   */
  Role role();

  /** How tickets of a type treat, and are treated by, tickets for other nodes. */
  enum Role {
    /** A person's or a pod's use of the volume: interrupts interruptible tickets elsewhere. */
    WORKLOAD,
    /** Maintenance that gives way to a workload elsewhere. */
    INTERRUPTIBLE,
    /** Maintenance that must not be cut short. */
    UNINTERRUPTIBLE
  }
}
