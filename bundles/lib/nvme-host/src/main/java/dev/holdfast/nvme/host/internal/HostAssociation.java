package dev.holdfast.nvme.host.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.answer.NvmeStatusException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** An association with a controller: its admin queue and one I/O queue (NVMe-oF 3.3). */
public final class HostAssociation implements AutoCloseable {
  private static final int ADMIN_ENTRIES = 32;
  private static final int IO_ENTRIES = 128;
  private static final int ADMIN_CAPSULE = 8_192;
  private static final int KEEP_ALIVE_MILLIS = 30_000;
  private static final int KEEP_ALIVE = 0x18;
  private static final int ACCESS_LOG = 0x0c;
  private static final int PAGE = 4_096;
  private static final int LARGEST_TRANSFER = 1 << 20;
  private static final int ANY_CONTROLLER = 0xffff;
  private static final int CONFIGURATION = 0x14;
  private static final int STATUS = 0x1c;

  /** Enabled, NVM command set, entries of 64 and 16 bytes. */
  private static final int ENABLED = 0x460001;

  private final AssociationRequest target;
  private final String name;
  private final ScheduledThreadPoolExecutor timer;
  private final NvmeQueue admin;
  private final NvmeQueue io;
  private final int maxTransfer;
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();

  private HostAssociation(AssociationRequest target, ScheduledThreadPoolExecutor timer)
      throws StorageException {
    this.target = target;
    this.name = target.subsystem() + " at " + target.address();
    this.timer = timer;
    this.admin = open(ADMIN_ENTRIES, ADMIN_CAPSULE);
    NvmeQueue opened = null;
    try {
      int controller = join(admin, 0, ADMIN_ENTRIES, ANY_CONTROLLER);
      enable();
      ByteBuffer identity = identify(1, 0);
      maxTransfer = maxTransfer(identity.get(77));
      opened = open(IO_ENTRIES, Math.max(0, identity.getInt(1_792) * 16 - NvmeCommand.ENTRY));
      call(admin, "Set Features", new Call(0x09).with(command -> command.dword(10, 7)));
      join(opened, 1, IO_ENTRIES, controller);
      io = opened;
    } catch (StorageException | RuntimeException e) {
      admin.close();
      if (opened != null) {
        opened.close();
      }
      throw e;
    }
    var unused =
        timer.scheduleAtFixedRate(
            this::keepAlive, KEEP_ALIVE_MILLIS / 3, KEEP_ALIVE_MILLIS / 3, TimeUnit.MILLISECONDS);
    long watch = Math.max(1, target.limit().toMillis() / 4);
    unused = timer.scheduleAtFixedRate(this::watch, watch, watch, TimeUnit.MILLISECONDS);
  }

  /** Connects; errors as of the device. */
  public static HostAssociation connect(AssociationRequest target) throws StorageException {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "nvme-host timer");
              thread.setDaemon(true);
              return thread;
            });
    try {
      return new HostAssociation(target, timer);
    } catch (StorageException | RuntimeException e) {
      timer.shutdownNow();
      throw e;
    }
  }

  private NvmeQueue open(int entries, int capsule) throws StorageException {
    return NvmeQueue.open(
        name, target.address(), entries, capsule, target.limit(), timer, () -> end.complete(true));
  }

  private static int maxTransfer(int shift) {
    return shift == 0 || shift > 8 ? LARGEST_TRANSFER : PAGE << shift;
  }

  public String name() {
    return name;
  }

  /** Returns the largest number of bytes of a command. */
  int maxTransfer() {
    return maxTransfer;
  }

  void submit(NvmeCommand command) {
    io.submit(command);
  }

  /** Returns the failure of a status, null for success. */
  StorageException failure(String what, int status) {
    return status == NvmeStatus.SUCCESS ? null : failure(what, status, NvmeStatus.code(status));
  }

  private StorageException failure(String what, int status, ErrorCode code) {
    return new NvmeStatusException(
        code, name + ": " + what + ": NVMe status 0x" + Integer.toHexString(status), status);
  }

  // --- administration ---------------------------------------------------------------------

  /** A command that is waited for. */
  private static final class Call {
    private final CompletableFuture<long[]> answer = new CompletableFuture<>();
    private NvmeCommand command;

    Call(int opcode) {
      command = new NvmeCommand(opcode, this::ended);
    }

    static Call fabrics(int type) {
      Call call = new Call(0);
      call.command = NvmeCommand.fabrics(type, call::ended);
      return call;
    }

    Call with(UnaryOperator<NvmeCommand> fill) {
      command = fill.apply(command);
      return this;
    }

    private void ended(int status, long result, StorageException failure) {
      if (failure != null) {
        answer.completeExceptionally(failure);
      } else {
        answer.complete(new long[] {status, result});
      }
    }
  }

  private long[] answer(NvmeQueue queue, String what, Call call) throws StorageException {
    queue.submit(call.command);
    try {
      return call.answer.get(target.limit().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, name + ": " + what + ": interrupted", e);
    } catch (TimeoutException e) {
      throw new StorageException(
          ErrorCode.TIMEOUT, name + ": " + what + ": no answer: check the target", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StorageException failure) {
        throw failure;
      }
      throw new StorageException(ErrorCode.INTERNAL, name + ": " + what, e);
    }
  }

  private long call(NvmeQueue queue, String what, Call call) throws StorageException {
    long[] answer = answer(queue, what, call);
    if (answer[0] != NvmeStatus.SUCCESS) {
      throw failure(what, (int) answer[0]);
    }
    return answer[1];
  }

  /** Sends Connect. Returns the number of the controller. */
  private int join(NvmeQueue queue, int number, int entries, int controller)
      throws StorageException {
    ByteBuffer data = ByteBuffer.allocateDirect(1_024).order(ByteOrder.BIG_ENDIAN);
    data.putLong(0, target.hostId().getMostSignificantBits());
    data.putLong(8, target.hostId().getLeastSignificantBits());
    data.order(ByteOrder.LITTLE_ENDIAN).putShort(16, (short) controller);
    data.put(256, target.subsystem().getBytes(StandardCharsets.UTF_8));
    data.put(512, target.hostName().getBytes(StandardCharsets.UTF_8));
    long[] answer =
        answer(
            queue,
            "Connect",
            Call.fabrics(1)
                .with(
                    command ->
                        command
                            .dword(10, number << 16)
                            .dword(11, entries - 1)
                            .dword(12, number == 0 ? KEEP_ALIVE_MILLIS : 0)
                            .sending(data)));
    if (answer[0] != NvmeStatus.SUCCESS) {
      int status = (int) answer[0];
      throw failure("Connect", status, NvmeStatus.ofConnect(status));
    }
    return (int) answer[1] & 0xffff;
  }

  private void enable() throws StorageException {
    long unused =
        call(
            admin,
            "Property Set",
            Call.fabrics(0).with(command -> command.dword(11, CONFIGURATION).dword(12, ENABLED)));
    long deadline = System.nanoTime() + target.limit().toNanos();
    while ((property(STATUS) & 1) == 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new StorageException(
            ErrorCode.TIMEOUT, name + ": the controller does not become ready");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private long property(int offset) throws StorageException {
    return call(admin, "Property Get", Call.fabrics(4).with(command -> command.dword(11, offset)));
  }

  private ByteBuffer identify(int structure, int namespaceId) throws StorageException {
    ByteBuffer data = ByteBuffer.allocateDirect(PAGE).order(ByteOrder.LITTLE_ENDIAN);
    long unused =
        call(
            admin,
            "Identify",
            new Call(0x06)
                .with(
                    command ->
                        command.namespace(namespaceId).dword(10, structure).receiving(data)));
    return data;
  }

  /** Returns Identify Controller. */
  public ByteBuffer identifyController() throws StorageException {
    return identify(1, 0);
  }

  /** Returns the list of active namespaces. */
  public ByteBuffer identifyNamespaceList() throws StorageException {
    return identify(2, 0);
  }

  /** Returns the descriptors of a namespace. */
  public ByteBuffer identifyDescriptors(int id) throws StorageException {
    return identify(3, id);
  }

  /** Returns the first 4 KiB of the log of asymmetric access. */
  public ByteBuffer accessLog() throws StorageException {
    ByteBuffer data = ByteBuffer.allocateDirect(PAGE).order(ByteOrder.LITTLE_ENDIAN);
    int dwords = PAGE / 4 - 1;
    long unused =
        call(
            admin,
            "Get Log Page",
            new Call(0x02)
                .with(command -> command.dword(10, ACCESS_LOG | dwords << 16).receiving(data)));
    return data;
  }

  /** Calls back on a thread of its own after a connection has ended. */
  public void onEnd(Runnable listener) {
    var unused = end.thenRunAsync(listener);
  }

  /** Sends Keep Alive and waits for the answer, and makes sure that the I/O queue is connected. */
  public void check() throws StorageException {
    long unused = call(admin, "Keep Alive", new Call(KEEP_ALIVE));
    io.requireConnected();
  }

  /** Reads identity and geometry of a namespace. */
  public NamespaceInfo identify(int id) throws StorageException {
    ByteBuffer data;
    try {
      data = identify(0, id);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.INVALID) {
        throw new StorageException(
            ErrorCode.NOT_FOUND, name + ": namespace " + id + " does not exist", e);
      }
      throw e;
    }
    return NamespaceInfo.parse(name, id, data);
  }

  private void keepAlive() {
    admin.submit(new NvmeCommand(KEEP_ALIVE, (status, result, failure) -> {}));
  }

  private void watch() {
    long now = System.nanoTime();
    admin.failIfLate(now);
    io.failIfLate(now);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    io.close();
    admin.close();
  }
}
