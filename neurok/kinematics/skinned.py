"""Skinned: a kinematics whose points are carried by bones."""

from abc import abstractmethod

from torch import Tensor

from neurok.geometry.motion import Skin
from neurok.geometry.surface import SurfacePoints
from neurok.kinematics.kinematics import Kinematics
from neurok.kinematics.skinning import skinned_positions


class Skinned(Kinematics):
    """x = sum_b w_b X_b(q) x(rest), with X_b(q) the motion of bone b since rest."""

    skin: Skin

    @abstractmethod
    def transforms(self, q: Tensor) -> Tensor:
        """Bone motions relative to rest, [b, 4, 4]."""

    def positions(self, q: Tensor, where: SurfacePoints) -> Tensor:
        return skinned_positions(self.transforms(q), self.mesh, self.skin, where)
