package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeNamespace;
import dev.holdfast.frontend.nvmeof.internal.controller.VolumePath;
import dev.holdfast.frontend.nvmeof.internal.page.NamespacePage;
import dev.holdfast.frontend.nvmeof.internal.queue.IoRequest.Kind;
import dev.holdfast.frontend.nvmeof.internal.reserve.HostReservations;
import dev.holdfast.frontend.nvmeof.internal.reserve.ReservationCommands;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;
import dev.holdfast.frontend.nvmeof.internal.wire.FabricsType;
import dev.holdfast.frontend.nvmeof.internal.wire.IoCommand;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import dev.holdfast.reservation.WriteGate;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An I/O queue. The connection's thread parses and issues commands; the completing thread responds.
 * A device that completes within the call causes no change of thread.
 */
public final class IoQueue extends Queue {
  private static final int ALL_NAMESPACES = 0xffffffff;
  private static final int DEALLOCATE_ZEROES = 1 << 25;

  private final Controllers controllers;
  private final BlockDevice device;
  private final NvmeNamespace volume;
  private final WriteGate gate;
  private final HostReservations reservations;
  private final ReservationCommands reservationCommands;
  private final VolumePath path;
  private final DatasetManagement dataset;
  private final FusedCommands fused;
  private final ArrayDeque<IoRequest> idle = new ArrayDeque<>();
  private final AtomicInteger users = new AtomicInteger(1);
  private volatile Runnable stopped;

  public IoQueue(
      PduWriter link,
      NvmeController controller,
      QueueShape shape,
      Controllers controllers,
      NvmeNamespace volume) {
    super(link, controller, shape);
    this.controllers = controllers;
    this.device = volume.device();
    this.volume = volume;
    this.gate = controllers.gate(volume.subsystem());
    this.reservations = new HostReservations(volume.state(), controller.host());
    this.reservationCommands = new ReservationCommands(reservations);
    this.path = new VolumePath(volume.state());
    this.dataset = new DatasetManagement(device);
    this.fused = new FusedCommands(this, volume, gate);
  }

  @Override
  public void arrived(Command command) {
    super.arrived(command);
    fused.arrived(command);
  }

  @Override
  void execute(Command command, CommandData data) {
    try {
      if (command.fabrics()) {
        disconnect(command);
      } else {
        requireServing(command);
        run(command, data);
      }
    } catch (RefusedException e) {
      refuse(command, e.status());
    }
  }

  @Override
  public void refuse(Command command, int status) {
    if (command.fused() == 0 || !fused.refuse(command, status)) {
      super.refuse(command, status);
    }
  }

  private void disconnect(Command command) throws RefusedException {
    if (command.fabricsType() != FabricsType.DISCONNECT) {
      throw new RefusedException(Status.INVALID_OPCODE, "unknown fabrics command");
    }
    respond(command, Status.SUCCESS);
    link().connection().close();
  }

  private void requireServing(Command command) throws RefusedException {
    if (!controller().serving()) {
      throw new RefusedException(Status.SEQUENCE_ERROR, "the controller is not enabled");
    }
    boolean all = command.namespace() == ALL_NAMESPACES && command.opcode() == IoCommand.FLUSH;
    if (command.namespace() != NamespacePage.NAMESPACE && !all) {
      throw new RefusedException(Status.INVALID_NAMESPACE, "there is namespace 1 only");
    }
    if (!path.serves()) {
      throw new RefusedException(Status.PATH_INACCESSIBLE, "another path serves the volume");
    }
  }

  private void run(Command command, CommandData data) throws RefusedException {
    if (command.fused() != 0) {
      fused.execute(command, data);
      return;
    }
    switch (command.opcode()) {
      case IoCommand.READ -> read(command);
      case IoCommand.WRITE -> write(command, data);
      case IoCommand.FLUSH -> flush(command);
      case IoCommand.COMPARE -> compare(command, data);
      case IoCommand.WRITE_ZEROES -> writeZeroes(command);
      case IoCommand.DATASET_MANAGEMENT -> deallocate(command, data);
      case IoCommand.VERIFY -> verify(command);
      case IoCommand.RESERVATION_REGISTER,
          IoCommand.RESERVATION_ACQUIRE,
          IoCommand.RESERVATION_RELEASE -> {
        reservationCommands.change(command, data, gate);
        respond(command, Status.SUCCESS);
      }
      case IoCommand.RESERVATION_REPORT -> report(command);
      default -> throw new RefusedException(Status.INVALID_OPCODE, "unknown I/O command");
    }
  }

  private void report(Command command) throws RefusedException {
    byte[] page = reservationCommands.report(command);
    link().respond(page, new CompletionEntry(0, head(), command.id(), Status.SUCCESS));
  }

  private void read(Command command) throws RefusedException {
    requireReading();
    BlockRange range = range(command);
    int length = range.transfer();
    if (command.data().length() < length) {
      throw new RefusedException(Status.DATA_LENGTH_INVALID, "there is no room for the data");
    }
    Reply reply = link().connection().reply(link().dataBytes(length));
    IoRequest request = take().begin(reply, command, Kind.READ, length);
    device.read(range.offset(), request.target(link().dataAt()), request);
    settle(request, false);
  }

  private void write(Command command, CommandData data) throws RefusedException {
    BlockRange range = range(command);
    int length = range.transfer();
    requireData(data, length);
    IoRequest request = plain(command).gated();
    if (passes(request)) {
      device.write(range.offset(), data.view(length), range.flags(), request);
    }
    settle(request, data.input());
  }

  private void flush(Command command) throws RefusedException {
    requireWriting();
    IoRequest request = plain(command);
    device.flush(request);
    settle(request, false);
  }

  private void compare(Command command, CommandData data) throws RefusedException {
    requireReading();
    BlockRange range = range(command);
    int length = range.transfer();
    requireData(data, length);
    Reply reply = link().connection().reply(link().dataBytes(length));
    IoRequest request = take().begin(reply, command, Kind.COMPARE, length);
    request.expect(data.view(length));
    device.read(range.offset(), request.target(link().dataAt()), request);
    settle(request, data.input());
  }

  private void writeZeroes(Command command) throws RefusedException {
    BlockRange range = range(command);
    boolean holes = (command.cdw12() & DEALLOCATE_ZEROES) != 0;
    int flags = range.flags() | (holes ? IoFlags.NONE : IoFlags.NO_HOLE);
    IoRequest request = plain(command).gated();
    if (passes(request)) {
      device.writeZeroes(range.offset(), range.length(), flags, request);
    }
    settle(request, false);
  }

  private void deallocate(Command command, CommandData data) throws RefusedException {
    var ranges = dataset.ranges(command, data, volume.blocks());
    IoRequest request = plain(command).gated();
    if (passes(request)) {
      dataset.deallocate(ranges, request);
    }
    settle(request, false);
  }

  /** Reads the range and discards the data. */
  private void verify(Command command) throws RefusedException {
    requireReading();
    BlockRange range = range(command);
    int length = range.transfer();
    Reply reply = link().connection().reply(link().dataBytes(length));
    IoRequest request = take().begin(reply, command, Kind.PLAIN, length);
    device.read(range.offset(), request.target(link().dataAt()), request);
    settle(request, false);
  }

  BlockRange range(Command command) throws RefusedException {
    return BlockRange.of(command, volume.blocks());
  }

  /** Passes a write through the gate, unless its host was fenced before. */
  private boolean passes(IoRequest request) {
    gate.enter();
    boolean may = reservations.mayWrite();
    if (!may) {
      request.refuse(Status.RESERVATION_CONFLICT);
    }
    return may;
  }

  private void requireReading() throws RefusedException {
    if (!reservations.mayRead()) {
      throw new RefusedException(Status.RESERVATION_CONFLICT, "another host has reserved it");
    }
  }

  void requireWriting() throws RefusedException {
    if (!reservations.mayWrite()) {
      throw new RefusedException(Status.RESERVATION_CONFLICT, "another host has reserved it");
    }
  }

  static void requireData(CommandData data, int length) throws RefusedException {
    if (data.length() < length) {
      throw new RefusedException(Status.DATA_LENGTH_INVALID, "the data are too short");
    }
  }

  private IoRequest plain(Command command) {
    return take()
        .begin(link().connection().reply(PduWriter.RESPONSE_BYTES), command, Kind.PLAIN, 0);
  }

  private void settle(IoRequest request, boolean readsInput) {
    if (!request.completed()) {
      users.incrementAndGet();
      if (readsInput) {
        request.lease(link().connection().retainInput());
      }
      if (request.detach()) {
        return;
      }
      users.decrementAndGet();
    }
    finish(request);
  }

  /** Completes a request that the device finished later, on any thread. */
  void completedLater(IoRequest request) {
    finish(request);
    leave();
  }

  private void finish(IoRequest request) {
    if (request.leavesGate()) {
      gate.leave();
    }
    int dataAt = link().dataAt();
    int status = request.status(dataAt);
    request.releaseLease();
    Command command = request.command();
    if (status != Status.SUCCESS) {
      controller().errors().add(shape().number(), command.id(), status, command.cdw10And11());
    }
    CompletionEntry entry = new CompletionEntry(0, head(), command.id(), status);
    if (request.sendsData()) {
      boolean implied = !shape().flowControl();
      link().sendData(request.takeReply(), request.length(), entry, implied);
    } else {
      link().send(request.takeReply(), entry);
    }
    synchronized (idle) {
      idle.addFirst(request);
    }
  }

  /** Completes an executed command with its status. */
  void answer(Command command, int status) {
    if (status == Status.SUCCESS) {
      respond(command, status);
    } else {
      super.refuse(command, status);
    }
  }

  private void leave() {
    if (users.decrementAndGet() == 0) {
      stopped.run();
    }
  }

  @Override
  public void stop(Runnable whenStopped) {
    controller().leave(shape().number(), this);
    controllers.left(controller());
    stopped = whenStopped;
    leave();
  }

  @Override
  public void save(Map<String, String> fields) {
    super.save(fields);
    fused.save(fields);
  }

  public FusedCommands fused() {
    return fused;
  }

  private IoRequest take() {
    synchronized (idle) {
      IoRequest request = idle.pollFirst();
      if (request != null) {
        return request;
      }
    }
    return new IoRequest(this);
  }
}
