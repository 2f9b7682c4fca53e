package dev.holdfast.resource.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class RoundTripTest {
  private final ResourceJson json = new ResourceJson();

  @Provide
  Arbitrary<ResourceKind<?>> kinds() {
    return Arbitraries.of(KindCatalogue.load().kinds());
  }

  @Property(tries = 400)
  void decodingWhatWasEncodedGivesTheCanonicalResource(
      @ForAll("kinds") ResourceKind<?> kind, @ForAll long seed) throws Exception {
    check(kind, seed);
  }

  private <R extends Resource<R>> void check(ResourceKind<R> kind, long seed) throws Exception {
    R canonical = json.canonical(new RandomRecords(seed).resource(kind));

    String text = json.encode(canonical);

    assertThat(json.decode(kind, text, ResourceJson.Mode.STRICT)).isEqualTo(canonical);
    assertThat(json.encode(json.decode(kind, text, ResourceJson.Mode.LENIENT))).isEqualTo(text);
  }
}
