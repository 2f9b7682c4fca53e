package dev.holdfast.engine.spdk.simulator;

import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdevs;
import dev.holdfast.engine.spdk.simulator.internal.calls.AppCalls;
import dev.holdfast.engine.spdk.simulator.internal.calls.BdevCalls;
import dev.holdfast.engine.spdk.simulator.internal.calls.LvolCalls;
import dev.holdfast.engine.spdk.simulator.internal.calls.NvmeCalls;
import dev.holdfast.engine.spdk.simulator.internal.calls.NvmfCalls;
import dev.holdfast.engine.spdk.simulator.internal.calls.RaidCalls;
import dev.holdfast.engine.spdk.simulator.internal.calls.SubsystemCalls;
import dev.holdfast.engine.spdk.simulator.internal.lvol.Lvstores;
import dev.holdfast.engine.spdk.simulator.internal.lvol.ShallowCopies;
import dev.holdfast.engine.spdk.simulator.internal.nvme.AttachedControllers;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.Keyring;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.NvmfTargets;
import dev.holdfast.engine.spdk.simulator.internal.raid.Raids;
import dev.holdfast.engine.spdk.simulator.internal.raid.RebuildPace;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ControlSocket;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcMethods;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * An SPDK target as a test sees it: a control socket that answers as {@code nvmf_tgt} of v26.05
 * does, over real files. What is on the disks survives {@link #kill}; all else is lost, as with
 * SPDK. Thread-safe.
 */
public final class SimulatedTarget implements AutoCloseable {
  private final Bdevs bdevs = new Bdevs();
  private final ExecutorService background =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "simulated target");
            thread.setDaemon(true);
            return thread;
          });
  private final RebuildPace rebuilds = new RebuildPace(background);
  private final NvmfTargets targets;
  private final AttachedControllers controllers;
  private final CountDownLatch ending = new CountDownLatch(1);
  private final ControlSocket server;

  private SimulatedTarget(Path socket, Fabric fabric, Function<String, Path> files)
      throws IOException {
    Keyring keyring = new Keyring(files);
    Lvstores stores = new Lvstores(bdevs);
    targets = new NvmfTargets(fabric, keyring);
    controllers = new AttachedControllers(fabric, bdevs);
    RpcMethods methods = new RpcMethods();
    new AppCalls(methods, keyring, ending::countDown).register();
    new BdevCalls(bdevs, stores, files).register(methods);
    new LvolCalls(bdevs, stores, new ShallowCopies(background)).register(methods);
    new RaidCalls(new Raids(bdevs, rebuilds)).register(methods);
    new NvmeCalls(controllers, keyring).register(methods);
    new NvmfCalls(targets).register(methods);
    new SubsystemCalls(targets, bdevs, keyring).register(methods);
    methods.requireComplete();
    server = ControlSocket.start(socket, methods);
  }

  /**
   * Starts a target without devices.
   *
   * @param socket where it listens for calls; a socket that a killed target left is replaced; not
   *     null
   * @param fabric that connects it with other targets and with hosts, not null
   * @param files where the files are that calls name, not null
   * @return the target, never null; the caller closes it
   * @throws IOException when it cannot listen
   */
  public static SimulatedTarget start(Path socket, Fabric fabric, Function<String, Path> files)
      throws IOException {
    return new SimulatedTarget(socket, fabric, files);
  }

  /** Keeps rebuilds that start from now on at their beginning. */
  public void holdRebuilds() {
    rebuilds.hold();
  }

  /**
   * Continues rebuilds that were held, and waits until all have ended.
   *
   * @throws InterruptedException when the thread is interrupted
   */
  public void releaseRebuilds() throws InterruptedException {
    rebuilds.release();
  }

  /**
   * Waits until a call asked the target to end. The caller then ends it.
   *
   * @throws InterruptedException when the thread is interrupted
   */
  public void awaitEnd() throws InterruptedException {
    ending.await();
  }

  /**
   * Ends the target as {@code kill -9} does: answers in progress are lost, associations end, I/O
   * that waits for another target fails, and no later write reaches a disk.
   *
   * @throws IOException when a file cannot be closed
   */
  public void kill() throws IOException {
    server.kill();
    targets.kill(); // first, so that no host is told of a failure: a process that ends says nothing
    bdevs.pullFiles();
    controllers.kill();
    background.shutdownNow();
  }

  /** As {@link #kill}, and removes the socket. */
  @Override
  public void close() throws IOException {
    kill();
    server.close();
  }
}
