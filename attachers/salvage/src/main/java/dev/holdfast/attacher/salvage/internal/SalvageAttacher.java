package dev.holdfast.attacher.salvage.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketReaper;
import dev.holdfast.controller.Reconciler;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Declares the ticket type for salvage and creates no tickets. The attachment controller detaches a
 * faulted volume, and the volume's tickets attach it again when it can be opened. A ticket that a
 * client creates counts like any other ticket and is removed at its end.
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
