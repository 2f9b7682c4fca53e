package dev.holdfast.frontend.nvmeof.internal.discovery;

import dev.holdfast.frontend.ExportCatalogue;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.page.ControllerPage;
import dev.holdfast.frontend.nvmeof.internal.page.DiscoveryLog;
import dev.holdfast.frontend.nvmeof.internal.page.LogPages;
import dev.holdfast.frontend.nvmeof.internal.queue.AdminPages;
import dev.holdfast.frontend.nvmeof.internal.reserve.HostReservations;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Identify and logs of a discovery controller. */
public final class DiscoveryPages implements AdminPages {
  private static final int HIGHEST_NAMESPACE = 0xfffffffe;

  private final ExportCatalogue exports;
  private final NvmeController controller;
  private final Controllers controllers;
  private final DiscoverySource discoverable;
  private final DiscoveryLog.Security security;

  public DiscoveryPages(
      ExportCatalogue exports,
      NvmeController controller,
      Controllers controllers,
      DiscoverySource discoverable,
      DiscoveryLog.Security security) {
    this.exports = exports;
    this.controller = controller;
    this.controllers = controllers;
    this.discoverable = discoverable;
    this.security = security;
  }

  @Override
  public byte[] identify(Command command) throws RefusedException {
    int structure = command.cdw10() & 0xff;
    if (structure == 1) {
      return new ControllerPage(
              controller.id().number(),
              NvmeNames.DISCOVERY,
              NvmeNames.serial(NvmeNames.DISCOVERY),
              true,
              Limits.TRANSFER_SHIFT,
              Limits.ENTRIES,
              Limits.EVENTS,
              0,
              1)
          .bytes();
    }
    if (structure == 2 && Integer.compareUnsigned(command.namespace(), HIGHEST_NAMESPACE) < 0) {
      return new byte[ControllerPage.SIZE];
    }
    throw new RefusedException(Status.INVALID_FIELD, "not supported by a discovery controller");
  }

  @Override
  public byte[] log(Command command) throws RefusedException {
    int log = AdminPages.logOf(command);
    byte[] page =
        switch (log) {
          case LogPages.SUPPORTED ->
              LogPages.supported(LogPages.SUPPORTED, LogPages.ERRORS, LogPages.DISCOVERY);
          case LogPages.ERRORS -> controller.errors().bytes();
          case LogPages.DISCOVERY -> discovery().bytes();
          default -> throw new RefusedException(Status.INVALID_LOG, "no log " + log);
        };
    byte[] part = AdminPages.part(command, page);
    if (!AdminPages.keepsEvent(command)) {
      controller.read(log);
    }
    return part;
  }

  /** Returns the log with matching entries and generation. */
  private DiscoveryLog discovery() {
    List<DiscoveryLog.Place> records = discoverable.records(exports, security);
    return new DiscoveryLog(controllers.generation(records), records);
  }

  @Override
  public long observed() {
    return discovery().generation();
  }

  @Override
  public void notice() {
    // All events here come from observation.
  }

  @Override
  public Optional<HostReservations> reservations() {
    return Optional.empty();
  }

  @Override
  public void save(Map<String, String> fields) {
    // Adds only the controller's state.
  }
}
