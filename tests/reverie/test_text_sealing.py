"""What is sealed can be opened with its key, with none but its key, and keys can be changed."""

import pytest
from cryptography.fernet import Fernet

from reverie.text.sealing import Unreadable, seal, unseal

pytestmark = pytest.mark.requirement("A9")
OLD, NEW = (Fernet.generate_key().decode() for _ in range(2))
WORDS = "sk-もち-9f2c"


def test_a_sealed_text_comes_back_and_shows_nothing_of_itself():
    sealed = seal(WORDS, [OLD])
    assert unseal(sealed, [OLD]) == WORDS
    assert "9f2c" not in sealed
    assert seal(WORDS, [OLD]) != sealed, "two sealings of one text cannot be told to be the same"


def test_a_new_key_in_front_seals_and_the_old_one_still_opens():
    before = seal(WORDS, [OLD])
    assert unseal(before, [NEW, OLD]) == WORDS
    assert unseal(seal(WORDS, [NEW, OLD]), [NEW]) == WORDS


@pytest.mark.parametrize("sealed", [seal(WORDS, [OLD]), "damaged", ""], ids=["old", "no", "empty"])
def test_without_its_key_it_is_unreadable(sealed):
    with pytest.raises(Unreadable):
        unseal(sealed, [NEW])
