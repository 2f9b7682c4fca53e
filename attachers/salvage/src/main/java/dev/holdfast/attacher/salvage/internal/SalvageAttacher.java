package dev.holdfast.attacher.salvage.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketReaper;
import dev.holdfast.controller.Reconciler;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * The type of tickets for salvage. None is made: a faulted volume is detached by the rules of
 * attachment, and when it can be opened again the tickets that were there attach it again. One that
 * somebody writes is honoured, and taken back at its end.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class SalvageAttacher extends TicketReaper {
  private static final int PRIORITY = 900;

  /** Creates the attacher. */
  @Activate
  public SalvageAttacher() {}

  @Override
  public String name() {
    return "salvage-controller";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Role role() {
    return Role.UNINTERRUPTIBLE;
  }
}
