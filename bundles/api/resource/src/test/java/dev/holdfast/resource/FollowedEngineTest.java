package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import org.junit.jupiter.api.Test;

class FollowedEngineTest {
  private static final Volume STORED_EARLIER = Volume.of("v", VolumeSpec.EMPTY);
  private static final Volume NAMING =
      STORED_EARLIER.withStatus(STORED_EARLIER.status().withActiveEngine("second"));

  private static Engine engine(String name, String volume) {
    return Engine.of(name, EngineSpec.EMPTY.withVolume(volume));
  }

  @Test
  void volumeFollowsTheEngineThatItNames() {
    assertThat(NAMING.follows(engine("second", "v"))).isTrue();
    assertThat(NAMING.follows(engine("first", "v"))).isFalse();
  }

  @Test
  void volumeThatNamesNoneFollowsItsEngine() {
    assertThat(STORED_EARLIER.follows(engine("first", "v"))).isTrue();
  }

  @Test
  void engineOfAnotherVolumeIsNotFollowed() {
    assertThat(NAMING.follows(engine("second", "w"))).isFalse();
    assertThat(STORED_EARLIER.follows(engine("first", "w"))).isFalse();
  }
}
