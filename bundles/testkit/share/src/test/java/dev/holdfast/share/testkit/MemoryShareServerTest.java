package dev.holdfast.share.testkit;

/** The kit over a right server. */
class MemoryShareServerTest extends ShareServerKit {
  @Override
  protected ShareServerLab open() throws Exception {
    return new MemoryShareLab(MemoryShareServer.Defect.NONE);
  }
}
