package dev.example.old.attacher;

import dev.holdfast.attacher.AttacherType;

/** A type of ticket as third parties wrote them for release 0.1.0. */
public final class OldAttacher implements AttacherType {
  @Override
  public String name() {
    return "old-attacher";
  }

  @Override
  public int priority() {
    return 500;
  }

  @Override
  public Role role() {
    return Role.WORKLOAD;
  }
}
