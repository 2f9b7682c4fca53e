package dev.holdfast.engine.spdk.simulator.internal.nvmf;

/**
 * Properties of a subsystem that stay the same.
 *
 * @param nqn its name
 * @param serialNumber shown to hosts
 * @param modelNumber shown to hosts
 * @param allowAnyHost whether hosts are admitted that it does not know
 * @param anaReporting whether it reports access states
 * @param firstController lowest number of a controller
 * @param lastController highest number of a controller
 */
public record SubsystemOptions(
    String nqn,
    String serialNumber,
    String modelNumber,
    boolean allowAnyHost,
    boolean anaReporting,
    int firstController,
    int lastController) {
  private static final int LAST = 0xffef;

  /** Returns whether the range of controllers is one that SPDK accepts. */
  public boolean hasGoodRange() {
    return firstController >= 1 && firstController <= lastController && lastController <= LAST;
  }
}
