package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.wire.AdminResult;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;
import dev.holdfast.frontend.nvmeof.internal.wire.FabricsType;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Arrays;
import java.util.Map;

/** The admin queue of a volume's or a discovery controller. */
public final class AdminQueue extends Queue implements Controllers.Watched {
  static final int GET_LOG = 0x02;
  static final int IDENTIFY = 0x06;
  static final int ABORT = 0x08;
  static final int SET_FEATURES = 0x09;
  static final int GET_FEATURES = 0x0a;
  static final int EVENT_REQUEST = 0x0c;
  static final int KEEP_ALIVE = 0x18;

  private static final int SET_PROPERTY = 0x00;
  private static final int GET_PROPERTY = 0x04;
  private static final int EIGHT_BYTES = 1;
  private static final int NOT_ABORTED = 1;

  private final Controllers controllers;
  private final AdminPages pages;
  private final FeatureCommands features;

  public AdminQueue(
      PduWriter link,
      NvmeController controller,
      QueueShape shape,
      Controllers controllers,
      AdminPages pages) {
    super(link, controller, shape);
    this.controllers = controllers;
    this.pages = pages;
    this.features = new FeatureCommands(controller, pages.reservations());
    controllers.watch(this);
  }

  @Override
  void execute(Command command, CommandData data) {
    if (command.opcode() == EVENT_REQUEST) {
      requestEvent(command);
      return;
    }
    try {
      AdminResult answer = answer(command, data);
      byte[] page = answer.data();
      if (page.length > command.data().length()) {
        page = Arrays.copyOf(page, (int) command.data().length());
      }
      link()
          .respond(
              page, new CompletionEntry(answer.result(), head(), command.id(), Status.SUCCESS));
    } catch (RefusedException e) {
      refuse(command, e.status());
    }
  }

  private void requestEvent(Command command) {
    try {
      requireReady();
      controller().request(command.id());
    } catch (RefusedException e) {
      refuse(command, e.status());
    }
  }

  private AdminResult answer(Command command, CommandData data) throws RefusedException {
    if (command.fabrics()) {
      return fabrics(command);
    }
    requireReady();
    return switch (command.opcode()) {
      case GET_LOG -> AdminResult.of(pages.log(command));
      case IDENTIFY -> AdminResult.of(pages.identify(command));
      case KEEP_ALIVE -> AdminResult.DONE;
      case ABORT -> AdminResult.of(abort(command) ? 0 : NOT_ABORTED);
      case SET_FEATURES -> features.set(command, data);
      case GET_FEATURES -> features.get(command);
      default -> throw new RefusedException(Status.INVALID_OPCODE, "unknown admin command");
    };
  }

  private AdminResult fabrics(Command command) throws RefusedException {
    boolean eight = (command.cdw10() & 7) == EIGHT_BYTES;
    int offset = command.cdw11();
    return switch (command.fabricsType()) {
      case SET_PROPERTY -> {
        controller().property(offset, eight, command.cdw12And13());
        yield AdminResult.DONE;
      }
      case GET_PROPERTY -> AdminResult.of(controller().property(offset, eight));
      case FabricsType.CONNECT ->
          throw new RefusedException(Status.SEQUENCE_ERROR, "the queue is connected already");
      case FabricsType.DISCONNECT ->
          throw new RefusedException(Status.INVALID_QUEUE_TYPE, "only I/O queues disconnect");
      default -> throw new RefusedException(Status.INVALID_OPCODE, "unknown fabrics command");
    };
  }

  private void requireReady() throws RefusedException {
    if (!controller().ready()) {
      throw new RefusedException(Status.SEQUENCE_ERROR, "the controller is not enabled");
    }
  }

  /** Only event requests wait; all other commands complete before they could be aborted. */
  private boolean abort(Command command) {
    int queue = command.cdw10() & 0xffff;
    return queue == 0 && controller().abort(command.cdw10() >>> 16);
  }

  /** Reports the changes since the last check to the host. */
  public void look() {
    controller().observe(pages.observed());
    pages.notice();
  }

  @Override
  public boolean tick(long nowNanos) {
    look();
    return !gone();
  }

  @Override
  public void stop(Runnable stopped) {
    controllers.forget(this);
    controller().leave(shape().number(), this);
    controllers.left(controller());
    stopped.run();
  }

  @Override
  public void save(Map<String, String> fields) {
    super.save(fields);
    controller().state().put(fields);
    pages.save(fields);
  }
}
